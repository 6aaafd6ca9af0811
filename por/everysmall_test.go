package por

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"landgo/por/internal/model"
)

// All small programs of loads and stores, where random ones may miss the one that matters.

// shape is programs of some threads, each of so many statements.
type shape struct {
	lengths []int // descending
	kinds   []kind
}

// A kind is a statement of thread t at pc, which is the n-th of the thread.
type kind func(t, pc, n int) []model.Instr

func loadsFrom(at int) kind {
	return func(_, _, n int) []model.Instr { return []model.Instr{{Code: model.Load, A: at, R: n % 3}} }
}

func storesTo(at int) kind {
	return func(t, _, n int) []model.Instr {
		return []model.Instr{{Code: model.Store, A: at, C: int64(10*t + n + 1)}}
	}
}

// follows stores if a load finds what was there from the start.
func follows(at, there int) kind {
	return func(t, pc, n int) []model.Instr {
		return []model.Instr{{Code: model.Load, A: at, R: n % 3}, {Code: model.JumpIf, R: n % 3, C: 0, A: pc + 3}, {Code: model.Store, A: there, C: int64(10*t + n + 1)}}
	}
}

func swaps(at int) kind {
	return func(t, _, n int) []model.Instr {
		return []model.Instr{{Code: model.Swap, A: at, R: n % 3, C: int64(10*t + n + 1)}}
	}
}

func compares(at int) kind {
	return func(t, _, n int) []model.Instr {
		return []model.Instr{{Code: model.CompareEx, A: at, R: n % 3, C: 0, D: int64(10*t + n + 1)}}
	}
}

var (
	plainKinds = []kind{loadsFrom(0), loadsFrom(8), storesTo(0), storesTo(8)}
	moreKinds  = append(slices.Clone(plainKinds), follows(0, 8), follows(8, 0), swaps(0), compares(0))
)

// each calls f for the programs of a shape, but for those that differ in the order of threads alike.
func (s shape) each(f func(*model.Program)) {
	code := make([][]int, len(s.lengths))
	var fill func(t, i int)
	fill = func(t, i int) {
		if t == len(code) {
			p := &model.Program{Bytes: 16, Standing: true}
			for t, kinds := range code {
				var thread []model.Instr
				for n, k := range kinds {
					thread = append(thread, s.kinds[k](t, len(thread), n)...)
				}
				p.Threads = append(p.Threads, thread)
			}
			f(p)
			return
		}
		if i == s.lengths[t] {
			if t > 0 && s.lengths[t-1] == s.lengths[t] && slices.Compare(code[t-1], code[t]) > 0 {
				return
			}
			fill(t+1, 0)
			return
		}
		for k := range s.kinds {
			code[t] = append(code[t][:i], k)
			fill(t, i+1)
		}
	}
	fill(0, 0)
}

// TestEverySmall: searches observers and readsfrom on all programs of some shapes.
func TestEverySmall(t *testing.T) {
	everySmall(t, shape{[]int{2, 2}, moreKinds}, shape{[]int{1, 1, 1}, moreKinds}, shape{[]int{2, 1, 1}, plainKinds})
}

// TestSoakEverySmall is TestEverySmall on more shapes: hours.
func TestSoakEverySmall(t *testing.T) {
	if os.Getenv("LANDGO_SOAK") == "" {
		t.Skip("with LANDGO_SOAK only")
	}
	for _, lengths := range [][]int{{3, 2}, {2, 1, 1}, {2, 2, 1}, {1, 1, 1, 1}} {
		everySmall(t, shape{lengths, moreKinds})
	}
	for _, lengths := range [][]int{{1, 1, 1, 1, 1}, {4, 4}, {2, 2, 2}, {2, 2, 2, 2}, {3, 2, 2}, {3, 3, 2}, {3, 3, 3}} {
		everySmall(t, shape{lengths, plainKinds})
	}
}

func everySmall(t *testing.T, shapes ...shape) {
	for _, s := range shapes {
		t.Run(fmt.Sprint(s.lengths, len(s.kinds)), func(t *testing.T) {
			n := 0
			s.each(func(p *model.Program) {
				n++
				for _, name := range []string{"observers", "readsfrom"} {
					if err := agreeWatched(name, p, 1_000_000, sound); err != nil && !t.Failed() {
						t.Errorf("%s: %v\n%v", name, err, p)
					}
				}
			})
			t.Logf("%d programs", n)
		})
	}
}
