package debuginfo

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/image/imagetest"
	"landgo/internal/trace"
)

// TestStack looks at the stack in leaf functions of an optimised build, where
// an assertion's check was inlined.
func TestStack(t *testing.T) {
	for _, l := range imagetest.Libcs {
		info := open(t, l.Compiler, "fails.c", "-static -O1 -g")
		fail, ok := info.Symbol("__assert_fail")
		if !ok {
			t.Fatal("no __assert_fail")
		}
		var got []Frame
		imagetest.Steps(t, info.Path, func(tr *imagetest.Tracee, _ int, regs *syscall.PtraceRegs, _ int) {
			if regs.Rip == fail.Addr {
				got = info.Stack(&trace.Regs{RIP: regs.Rip, RSP: regs.Rsp, RBP: regs.Rbp, RBX: regs.Rbx, R12: regs.R12, R13: regs.R13, R14: regs.R14, R15: regs.R15}, tr.Read)
			}
		})
		var names []string
		for _, f := range got {
			names = append(names, f.Function)
		}
		if want := "[__assert_fail check outer main]"; fmt.Sprint(names) != want {
			t.Errorf("%s: %v, want %s", l.Compiler, names, want)
		}
		for _, f := range got[1:] {
			if f.Line == 0 || !strings.HasSuffix(f.File, "fails.c") {
				t.Errorf("%s: %+v has no place", l.Compiler, f)
			}
		}
	}
}

// TestConcurrentUse: workers share an image.
func TestConcurrentUse(t *testing.T) {
	info := open(t, "musl-gcc", "variables.c", "-static -g")
	ask := func() string {
		var b strings.Builder
		for _, f := range info.Functions {
			fmt.Fprint(&b, info.Frames(f.Addr))
			fmt.Fprint(&b, info.Unwind(&trace.Regs{RIP: f.Addr, RSP: 0x7fff0008}, func(uint64) (uint64, bool) { return info.Entry, true }))
		}
		for _, s := range info.Symbols {
			name, _ := info.Variable(s.Addr)
			b.WriteString(name)
		}
		return b.String()
	}
	answers := make(chan string)
	const workers = 4
	for i := 0; i < workers; i++ {
		go func() { answers <- ask() }()
	}
	for i := 0; i < workers; i++ {
		if got := <-answers; got != ask() {
			t.Error("the answers differ")
		}
	}
}
