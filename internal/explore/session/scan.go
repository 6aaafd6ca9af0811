package session

import (
	"fmt"
	"strings"

	"landgo/internal/image/static"
	"landgo/internal/image/x86"
	"landgo/internal/result"
)

// scanned is the finds of a walk over the guest's code.
type scanned struct {
	atomic     int
	unmodelled []result.Unmodelled
}

// scan decodes the guest's own functions: those with source lines, or all of
// them where there are none.
func (p *Program) scan() scanned {
	var out scanned
	seen := map[string]bool{}
	for _, f := range p.Image.Functions {
		if f.Size == 0 || f.Size > 1<<20 {
			continue
		}
		where := p.Frames([]uint64{f.Addr})
		if len(where) == 0 || !p.Image.Stripped && result.Innermost(where).File == "" {
			continue // a library's
		}
		for pc, end := f.Addr, f.Addr+f.Size; pc < end; {
			code := p.Image.Bytes(pc, x86.MaxInst)
			text, n, err := x86.Inst(p.Image.File, code, pc)
			if err != nil || n == 0 {
				break
			}
			if locked, _, err := static.Locked(p.Image.File, code); err == nil && locked {
				out.atomic++
			}
			if why := unmodelledInsn(text); why != "" && !seen[why+f.Name] {
				seen[why+f.Name] = true
				u := result.Unmodelled{What: why}
				if fs := p.Frames([]uint64{pc}); len(fs) > 0 {
					u.Where = fs[0]
				}
				out.unmodelled = append(out.unmodelled, u)
			}
			pc += uint64(n)
		}
	}
	return out
}

// unmodelledInsn says why a run would end at an instruction as invalid, or "".
func unmodelledInsn(text string) string {
	op, _, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(op, "v") && strings.Contains(text, "mm"):
		return fmt.Sprintf("instruction %s (AVX)", op)
	case op == "rdrand", op == "rdseed", op == "xbegin", op == "xgetbv", op == "rdpmc":
		return "instruction " + op
	}
	return ""
}

func (p *Program) unmodelled(in *result.Inspection) { in.Unmodelled = p.scan().unmodelled }
