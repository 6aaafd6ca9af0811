package report

import (
	"fmt"

	"landgo/internal/result"
)

// block says where a block of memory came from and went.
func (p *page) block(b *result.Block) {
	if b == nil {
		return
	}
	p.blank()
	p.line("Block of %s at %v:", count(b.Size, "byte"), b.Address)
	p.origin("allocated", &b.Allocated)
	if b.Freed != nil {
		p.origin("freed", b.Freed)
	}
}

// origin shows a call of the allocator: thread, step, and the part of its stack
// that has source lines.
func (p *page) origin(what string, o *result.Origin) {
	p.wrap("  ", fmt.Sprintf("%s by %s in step %d, in %s", what, p.name(o.Thread), o.Step, p.where(result.Innermost(o.Stack))))
	shown := 0
	for _, f := range p.users(o.Stack) {
		if f.File == "" {
			continue
		}
		if shown++; shown == 1 {
			continue
		}
		if shown > maxFrames {
			break
		}
		p.line("    from %s", p.fit(f, 9))
	}
}
