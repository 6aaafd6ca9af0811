package linux

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/kernel"
)

// TestOnlyTheLogReachesTheMachine: what a handler does past the log isn't recorded.
func TestOnlyTheLogReachesTheMachine(t *testing.T) {
	allowed := map[string]string{
		"eintr.go":  "whether what is left of a sleep can be written, which package scheduler writes and records",
		"boot.go":   "the guest's memory before its first instruction",
		"exit.go":   "the end of a thread that landgo carries out, with what its library keeps of it",
		"linux.go":  "the log's own machine, and Foresee's way back",
		"memory.go": "Writable, for reports of leaks",
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		switch uses := strings.Count(string(text), "host.Machine"); {
		case uses > 0 && allowed[f] == "":
			t.Errorf("%s: reaches the machine %d times, which only an effect.Log may", f, uses)
		case uses == 0 && allowed[f] != "":
			t.Errorf("%s doesn't reach the machine: is that written otherwise now?", f)
		}
	}
}

// TestForesight: of every call, with all sorts of arguments and in all sorts of states,
// its accesses are the foreseen ones, and to foresee them changes nothing.
func TestForesight(t *testing.T) {
	values := []uint64{0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 64, dataPage, dataPage + 64, dataPage + dataSize - 4, dataPage + dataSize, codePage, firstNumber, firstNumber + 1, ^uint64(0), ^uint64(99)}
	for nr := range table {
		if table[nr].do == nil {
			continue
		}
		c := newCaller(t, Config{MemoryLimit: 16 << 20, Stdin: []byte("some input")})
		c.spawn(0, dataPage+8)
		const at = dataPage + 1024
		c.do(0, sysPipe, at)                              // descriptors 3 and 4
		c.do(0, 290, 1, 0)                                // 5: an eventfd
		c.do(0, sysSocketpair, afUnix, sockStream, 0, at) // 6 and 7
		c.do(0, 283, abi.ClockMonotonic, 0)               // 8: a timer
		c.do(0, 291, 0)                                   // 9: an epoll
		c.do(0, 319, c.text(at, "m"), 0)                  // 10: a file
		c.m.Write(at, append(pair(pollIn, 0)[:4], pair(7, 0)[:8]...))
		c.do(0, 233, 9, epollAdd, 5, at)
		c.do(0, 1, 4, at, 5)
		c.do(0, 1, 10, at, 5)
		c.m.Write(dataPage+64, append(pair(dataPage+512, 40), pair(1, 2)...))
		for i := range values {
			for j := range values {
				args := []uint64{values[i], values[j], values[(i+j)%len(values)], values[(i+3*j)%len(values)], values[(2*i+j)%len(values)], values[j]}
				if p := c.plan(0, uint64(nr), args...); p.Effect == kernel.Invalid || p.Blocked {
					continue
				}
				c.threads[0].regs.RSP = dataPage + 0x8000
				m, was := c.m.Mark(), c.digest()
				th, trap := *c.threads[0], emu.Trap{Syscall: true, Len: 2}
				f := c.k.Foresee(0, trap)
				accesses, pages, ops := slices.Clone(f.Accesses), slices.Clone(f.Pages), slices.Clone(f.Ops)
				if c.threads[0].regs != th.regs || i%8 == 0 && j%8 == 0 && c.digest() != was {
					t.Fatalf("call %d %x: to foresee it changed something", nr, args)
				}
				o := c.k.Do(0, trap, 0, &c.threads[0].regs)
				if o.Signal == 0 && (!slices.Equal(o.Accesses, accesses) || !slices.Equal(o.Pages, pages) || !slices.Equal(o.Ops, ops)) {
					t.Fatalf("call %d %x: touches %+v %+v %+v, foreseen were %+v %+v %+v", nr, args, o.Accesses, o.Pages, o.Ops, accesses, pages, ops)
				}
				c.m.Rewind(m)
				*c.threads[0] = th
			}
		}
		c.m.Close()
	}
}
