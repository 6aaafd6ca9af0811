package session

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/result"
	"landgo/kernel"
	"landgo/scheduler"
)

// TestProblemsHaveKinds: whatever keeps a guest from being read or controlled
// has an entry in the table that users see, each a different one.
func TestProblemsHaveKinds(t *testing.T) {
	seen := map[result.ErrorKind]string{}
	check := func(name string, kind result.ErrorKind) {
		if kind == "" || result.Explain(kind).Kind != kind {
			t.Errorf("%s has no entry", name)
		}
		if other, ok := seen[kind]; ok {
			t.Errorf("%s and %s are both %s", name, other, kind)
		}
		seen[kind] = name
	}
	for k := elffile.Unreadable; k <= elffile.TooLarge; k++ {
		check(fmt.Sprintf("image's error %d", k), imageProblems[k])
	}
	delete(seen, result.TooLarge) // GapLayout is one of that too
	for g := kernel.GapCall; g <= kernel.GapEngine; g++ {
		check(fmt.Sprintf("gap %d", g), gapProblems[g])
	}
}

// TestTooLong: an execution without an end has another cure than a step without
// one.
func TestTooLong(t *testing.T) {
	for want, e := range map[result.ErrorKind]scheduler.BudgetError{
		result.StepTooLong: {Insns: 1000},
		result.NoEnd:       {Insns: 1000, Steps: 10},
	} {
		if got := tooLong(&e); got != want || result.Explain(got).Status != result.ExitBudget {
			t.Errorf("%v is %s, want %s", &e, got, want)
		}
	}
}

// TestBootError: what a kernel refuses is invalid or bad input, by its kind
// and not by its words; what has no kind is a fault.
func TestBootError(t *testing.T) {
	for _, c := range []struct {
		err    error
		kind   result.ErrorKind
		status int
	}{
		{kernel.Errorf(kernel.GapMemory, "threads"), result.TooMuchMemory, result.ExitInvalid},
		{fmt.Errorf("boot: %w", kernel.Errorf(kernel.GapThreads, "prints more than")), result.TooManyThreads, result.ExitInvalid},
		{kernel.Errorf(kernel.GapLayout, "a segment"), result.TooLarge, result.ExitUsage},
		{kernel.Errorf(kernel.GapArguments, "arguments"), result.Usage, result.ExitUsage},
		{&fs.PathError{Op: "read", Path: "in", Err: fs.ErrPermission}, result.Unreadable, result.ExitUsage},
		{errors.New("what"), result.Fault, result.ExitFault},
	} {
		err := bootError("guest", c.err)
		kind := result.KindOf(err)
		var inv *Invalid
		if errors.As(err, &inv) {
			kind = inv.Kind
		}
		if p := result.Explain(kind); kind != c.kind || p.Status != c.status {
			t.Errorf("%v: %s, exit %d; want %s, exit %d", c.err, kind, p.Status, c.kind, c.status)
		}
	}
}

// TestSources: what is said of a source that landgo doesn't build is how its program is
// made, or that there would be no use in it.
func TestSources(t *testing.T) {
	for _, c := range []struct {
		guest, says string
		kind        result.ErrorKind
	}{
		{"lab/queue.rs", "rustc -g -o lab/queue lab/queue.rs makes", result.NotELF},
		{"lab/queue.zig", "zig build-exe -lc -mcpu x86_64 -femit-bin=lab/queue lab/queue.zig makes", result.NotELF},
		{"lab/queue.go", "lab/queue.go: a Go program", result.OtherRuntime},
	} {
		_, err := elffile.Parse(c.guest, strings.NewReader("a text\n"), 7)
		err = ImageError(c.guest, err)
		var e *result.Error
		if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s: %s", c.guest, err, c.kind, c.says)
		}
	}
}
