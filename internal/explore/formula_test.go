package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/trace"
)

func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1)
}

// orders is in how many orders n threads can do k things each.
func orders(n, k int) int {
	all := factorial(n * k)
	for range n {
		all /= factorial(k)
	}
	return all
}

// formulas has, for the rows of testdata/formulas.c, how many outcomes there
// are, by what the row is.
var formulas = []struct {
	row      string
	n, k     int
	outcomes int
	// traces is how many executions there are; 0: as the library makes it.
	traces   int
	timeouts config.Timeouts
	copies   config.Copies
	// glibc: musl's own code, which runs here, has too many executions.
	glibc bool
}{
	// Every order of n threads, k times each.
	{row: "locked", n: 2, k: 3, outcomes: orders(2, 3), traces: orders(2, 3)},
	{row: "locked", n: 3, k: 2, outcomes: orders(3, 2), traces: orders(3, 2)},
	{row: "exchanged", n: 4, k: 1, outcomes: factorial(4), traces: factorial(4)},
	{row: "dup", n: 3, k: 1, outcomes: factorial(3), traces: factorial(3)},
	{row: "read", n: 3, k: 1, outcomes: factorial(3), traces: factorial(3)},
	{row: "lseek", n: 3, k: 1, outcomes: factorial(3), traces: factorial(3)},
	{row: "fgetc", n: 3, k: 1, outcomes: factorial(3)},
	{row: "key", n: 3, k: 1, outcomes: factorial(3)},
	{row: "broadcast", n: 3, k: 1, outcomes: factorial(3)},
	{row: "atexit", n: 2, k: 1, outcomes: factorial(2), glibc: true},
	// Each of n before one event, or after it.
	{row: "rwlock", n: 3, k: 1, outcomes: 1 << 3, traces: 1 << 3},
	{row: "close", n: 3, k: 1, outcomes: 1 << 3},
	{row: "locktimed", n: 1, k: 1, outcomes: 1 << 1, timeouts: config.TimeoutsAny, glibc: true},
	// One event, before, between or after k of another thread's.
	{row: "mprotect", n: 1, k: 4, outcomes: 4 + 1, traces: 4 + 1},
	{row: "open", n: 1, k: 4, outcomes: 4 + 1, traces: 4 + 1},
	{row: "arrives", n: 1, k: 4, outcomes: 4 + 1},
	{row: "masked", n: 1, k: 3, outcomes: (2 + 1) + (1 + 1)},
	{row: "pending", n: 1, k: 3, outcomes: 3 + 1},
	{row: "cancel", n: 1, k: 3, outcomes: 3 + 1, glibc: true},
	{row: "getvalue", n: 3, k: 1, outcomes: 3 + 1},
	{row: "getrandom", n: 1, k: 1, outcomes: 2, traces: 2},
	{row: "robust", n: 1, k: 1, outcomes: 2, glibc: true},
	{row: "interrupted", n: 1, k: 1, outcomes: 2},
	// k of n get it.
	{row: "semtry", n: 3, k: 1, outcomes: 3},
	{row: "semtry", n: 3, k: 2, outcomes: 3},
	{row: "semtimed", n: 1, k: 1, outcomes: 1 + 1, timeouts: config.TimeoutsAny, glibc: true},
	{row: "once", n: 3, k: 1, outcomes: 3},
	{row: "barrier", n: 3, k: 1, outcomes: 3},
	{row: "noreplace", n: 3, k: 1, outcomes: 3},
	// The last of n counts.
	{row: "brk", n: 3, k: 1, outcomes: 3},
	{row: "sigaction", n: 2, k: 1, outcomes: 2},
	{row: "unblock", n: 2, k: 1, outcomes: 2},
	// A call copies k words, and another thread uses them in the same order, or the other.
	{row: "copyin", n: 1, k: 3, outcomes: 1 << 3, traces: 1 << 3, copies: config.CopiesDivided},
	{row: "copyin", n: 1, k: 3, outcomes: 3 + 1, traces: 3 + 1, copies: config.CopiesWhole},
	{row: "copyindown", n: 1, k: 4, outcomes: 4 + 1, traces: 4 + 1, copies: config.CopiesDivided},
	{row: "copyout", n: 1, k: 3, outcomes: 1 << 3, traces: 1 << 3, copies: config.CopiesDivided},
	{row: "copyoutdown", n: 1, k: 4, outcomes: 4 + 1, traces: 4 + 1, copies: config.CopiesDivided},
	{row: "copyrandom", n: 1, k: 3, outcomes: 1 << 3, traces: 1 << 3, copies: config.CopiesDivided},
}

// TestOutcomesByFormula: the search lists as many outcomes as there are, counted
// with pencil and paper, in both libraries.
func TestOutcomesByFormula(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data.txt")
	if err := os.WriteFile(data, []byte("abcdefgh"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "musl-gcc"} {
		guest := compile.File(t, cc, "testdata/formulas.c")
		for _, f := range formulas {
			if f.glibc && cc != "gcc" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s-%d-%d", cc, f.row, f.n, f.k), func(t *testing.T) {
				c := config.Default()
				c.Guest, c.PP = guest, trace.MemPoints
				c.Args = []string{f.row, fmt.Sprint(f.n), fmt.Sprint(f.k)}
				c.Files = []config.GuestFile{{Host: data, Guest: "data.txt"}}
				if f.timeouts != "" {
					c.Timeouts = f.timeouts
				}
				c.Copies = f.copies
				got := list(c, "optimal", 50_000, 0)
				if got.err != nil || !got.complete || len(got.outcomes) != f.outcomes || f.traces != 0 && got.executions != f.traces {
					t.Errorf("%d outcomes, want %d, traces %d: %v", len(got.outcomes), f.outcomes, f.traces, got)
				}
			})
		}
	}
}
