package unwind

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/trace"

	"golang.org/x/arch/x86/x86asm"
)

// shadow is a thread's stack of return addresses, kept by watching calls and
// returns.
type shadow struct {
	rets  []uint64
	slots []uint64 // where each is stored
	call  bool     // the instruction just executed was a call
	// signal: a handler is being entered.
	signal                     bool
	interrupted, interruptedSP uint64
}

// follow takes the stack to the instruction at regs. Frames below rsp are gone
// whatever took them away (ret, longjmp, thread exit).
func (s *shadow) follow(im *guest, tr *imagetest.Tracee, regs *syscall.PtraceRegs) {
	for n := len(s.slots); n > 0 && s.slots[n-1] < regs.Rsp; n-- {
		s.rets, s.slots = s.rets[:n-1], s.slots[:n-1]
	}
	if s.signal && regs.Rip == s.interrupted {
		s.signal = false // ignored
	}
	if s.signal {
		// The stub that the handler returns to is left out; the place of the
		// interrupted frame is taken by the instruction's address plus one.
		s.rets, s.slots = append(s.rets, s.interrupted+1), append(s.slots, s.interruptedSP-1)
		s.signal, s.call = false, false
	}
	if s.call {
		ret, _ := tr.Read(regs.Rsp)
		s.rets, s.slots = append(s.rets, ret), append(s.slots, regs.Rsp)
	}
	inst, err := x86asm.Decode(im.Bytes(regs.Rip, 15), 64)
	s.call = err == nil && inst.Op == x86asm.CALL
}

// wanted is the stack that Unwind should find, innermost first.
func (s *shadow) wanted(im *guest) []uint64 {
	var pcs []uint64
	for i := len(s.rets) - 1; i >= 0; i-- {
		pcs = append(pcs, s.rets[i])
	}
	for n := len(pcs); n > 0; n-- {
		if at := pcs[n-1] - 1; !im.callsProgram(at) && !im.startsThread(at) {
			break
		}
		pcs = pcs[:n-1]
	}
	return pcs
}

// TestUnwindEverywhere compares the unwinder with the real stack at every instruction of
// whole runs. There is a run for each way to compile a program with one C library, whose
// own code is the same each time. With LANDGO_SOAK each is with both.
func TestUnwindEverywhere(t *testing.T) {
	for i, l := range imagetest.Libcs {
		for k, flags := range []string{"-O0", "-O1", "-O2", "-O2 -fno-omit-frame-pointer", "-O2 -s", "-Os -fno-asynchronous-unwind-tables -g"} {
			if i != k%len(imagetest.Libcs) && os.Getenv("LANDGO_SOAK") == "" {
				continue
			}
			t.Run(l.Compiler+" "+flags, func(t *testing.T) {
				im := open(t, l.Compiler, "stacks.c", "-static "+flags)
				if status := checkUnwind(t, im); status != 0 {
					t.Errorf("the program ended with %#x", status)
				}
			})
		}
	}
}

// TestUnwindFailure does the same on the way from a failing assertion to the
// end: a bug's report needs the stack there.
func TestUnwindFailure(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-O0", "-O2"} {
			t.Run(l.Compiler+" "+flags, func(t *testing.T) {
				status := checkUnwind(t, open(t, l.Compiler, "fails.c", "-static "+flags))
				if !status.Signaled() || status.Signal() != syscall.SIGABRT {
					t.Errorf("the program ended with %#x", status)
				}
			})
		}
	}
}

// startFrames is how many functions a C library has on the stack under main.
const startFrames = 3

func checkUnwind(t *testing.T, im *guest) syscall.WaitStatus {
	stacks := map[int]*shadow{}
	steps, wrong, deepest := 0, map[string]int{}, 0
	first := map[string]string{}
	status := imagetest.Steps(t, im.Path, func(tr *imagetest.Tracee, tid int, regs *syscall.PtraceRegs, signal int) {
		if !im.IsCode(regs.Rip) {
			return // the vDSO
		}
		s := stacks[tid]
		if s == nil {
			s = &shadow{}
			stacks[tid] = s
		}
		if signal != 0 {
			s.signal, s.interrupted, s.interruptedSP = true, regs.Rip, regs.Rsp
			return
		}
		s.follow(im, tr, regs)
		steps++
		want := s.wanted(im)
		got := im.Unwind(traceRegs(regs), tr.Read)
		deepest = max(deepest, len(want))
		if im.Stripped && len(got) < len(want) && len(want)-len(got) <= startFrames {
			want = want[:len(got)] // nothing tells where the program's own begin
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			f, _ := im.SymbolAt(regs.Rip)
			wrong[f.Name]++
			if first[f.Name] == "" {
				first[f.Name] = fmt.Sprintf("at %#x: got %s, want %s", regs.Rip, stackText(im, got), stackText(im, want))
			}
		}
	})
	if steps < 1000 || deepest < 3 {
		t.Errorf("%d steps, stacks up to %d: too little", steps, deepest)
	}
	for f, n := range wrong {
		if im.Stripped && im.Libc() == elffile.NoLibc && n*100 < steps {
			// Neither call-frame information nor names (musl): a thread that is
			// about to exit has no way back that could be followed.
			continue
		}
		t.Errorf("%s: %d wrong; first %s", f, n, first[f])
	}
	return status
}

func stackText(im *guest, pcs []uint64) string {
	var names []string
	for _, pc := range pcs {
		s, _ := im.SymbolAt(pc - 1)
		names = append(names, fmt.Sprintf("%s:%x", s.Name, pc))
	}
	return "[" + strings.Join(names, " ") + "]"
}

func traceRegs(r *syscall.PtraceRegs) *trace.Regs {
	return &trace.Regs{RAX: r.Rax, RBX: r.Rbx, RCX: r.Rcx, RDX: r.Rdx, RSI: r.Rsi, RDI: r.Rdi, RBP: r.Rbp, RSP: r.Rsp,
		R8: r.R8, R9: r.R9, R10: r.R10, R11: r.R11, R12: r.R12, R13: r.R13, R14: r.R14, R15: r.R15, RIP: r.Rip}
}

// TestUnwindEnters: a return that begins a function, as that of setcontext does, comes from no call
// of the function before it. The stack goes on from the function's first instruction.
func TestUnwindEnters(t *testing.T) {
	im := open(t, "gcc", "enters.c", "-static -O1")
	at := map[string]uint64{}
	for _, name := range []string{"leaf", "before", "second", "main"} {
		s, ok := im.Symbol(name)
		if !ok {
			t.Fatalf("no function %s", name)
		}
		at[name] = s.Addr
	}
	const top = 0x1000
	within := at["main"]
	for !im.File.AfterCall(within) {
		within++
	}
	stack := map[uint64]uint64{top: at["second"], top + 8: within, top + 16: 0}
	read := func(addr uint64) (v uint64, ok bool) { v, ok = stack[addr]; return v, ok }
	got := im.Unwind(&trace.Regs{RIP: at["leaf"], RSP: top}, read)
	if want := []uint64{at["second"] + 1, within}; !slices.Equal(got, want) {
		t.Errorf("got %#x, want %#x", got, want)
	}
	frames := im.FramesOn(&trace.Regs{RIP: at["leaf"], RSP: top}, read)
	if len(frames) != 2 || frames[1].PC != at["second"] {
		t.Errorf("frames %+v", frames)
	}
}
