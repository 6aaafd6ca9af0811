package scheduler

import (
	"slices"
	"testing"

	"landgo/emu/emutest"
)

// TestOutcomes: all interleavings of small programs end as they do under sequential
// consistency, and with store buffers as the x86-TSO of Sewell et al. allows (x86-TSO: A
// Rigorous and Usable Programmer's Model, CACM 2010), by the names that the paper has for them.
func TestOutcomes(t *testing.T) {
	stores := func(pairs ...uint64) func(*emutest.Code) {
		return func(c *emutest.Code) {
			for i := 0; i < len(pairs); i += 2 {
				c.Put4(at(int(pairs[i])), pairs[i+1])
			}
		}
	}
	loads := func(c *emutest.Code, from, to int) { c.Load(at(from)).Store(at(to)) }
	for _, tc := range []struct {
		name     string
		threads  []func(*emutest.Code)
		of       []int
		sc, more []string // more: with store buffers only
	}{
		{"an addition without a lock", []func(*emutest.Code){
			func(c *emutest.Code) { c.Add(at(0), 1) },
			func(c *emutest.Code) { c.Add(at(0), 1) },
		}, []int{0}, []string{"[1]", "[2]"}, nil},
		{"an addition with one", []func(*emutest.Code){
			func(c *emutest.Code) { c.LockAdd(at(0), 1) },
			func(c *emutest.Code) { c.LockAdd(at(0), 1) },
			func(c *emutest.Code) { c.LockAdd(at(0), 1) },
		}, []int{0}, []string{"[3]"}, nil},
		{"SB", []func(*emutest.Code){
			func(c *emutest.Code) { stores(0, 1)(c); loads(c, 1, 2) },
			func(c *emutest.Code) { stores(1, 1)(c); loads(c, 0, 3) },
		}, []int{2, 3}, []string{"[0 1]", "[1 0]", "[1 1]"}, []string{"[0 0]"}},
		{"SB with mfence", []func(*emutest.Code){
			func(c *emutest.Code) { stores(0, 1)(c); c.Fence(); loads(c, 1, 2) },
			func(c *emutest.Code) { stores(1, 1)(c); c.Fence(); loads(c, 0, 3) },
		}, []int{2, 3}, []string{"[0 1]", "[1 0]", "[1 1]"}, nil},
		{"SB with xchg", []func(*emutest.Code){
			func(c *emutest.Code) { c.Set(1).Exchange(at(0)); loads(c, 1, 2) },
			func(c *emutest.Code) { c.Set(1).Exchange(at(1)); loads(c, 0, 3) },
		}, []int{2, 3}, []string{"[0 1]", "[1 0]", "[1 1]"}, nil},
		{"MP", []func(*emutest.Code){
			stores(0, 1, 1, 1),
			func(c *emutest.Code) { loads(c, 1, 2); loads(c, 0, 3) },
		}, []int{2, 3}, []string{"[0 0]", "[0 1]", "[1 1]"}, nil},
		{"a thread reads its own store first", []func(*emutest.Code){ // Intel's 2.4
			func(c *emutest.Code) { stores(0, 1)(c); loads(c, 0, 2); loads(c, 1, 3) },
			func(c *emutest.Code) { stores(1, 1)(c) },
		}, []int{2, 3}, []string{"[1 0]", "[1 1]"}, nil},
		{"compare and exchange", []func(*emutest.Code){
			func(c *emutest.Code) { c.Set(0).Compare(at(0), 5).Store(at(2)) },
			func(c *emutest.Code) { c.Set(0).Compare(at(0), 6).Store(at(3)) },
		}, []int{0, 2, 3}, []string{"[5 0 5]", "[6 6 0]"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := script(t, Config{}, threadsOf(tc.threads...)).outcomes(t, tc.of...); !slices.Equal(got, tc.sc) {
				t.Errorf("%v, want %v", got, tc.sc)
			}
			want := slices.Sorted(slices.Values(append(tc.more, tc.sc...)))
			if got := script(t, Config{Buffers: true}, threadsOf(tc.threads...)).outcomes(t, tc.of...); !slices.Equal(got, want) {
				t.Errorf("with store buffers: %v, want %v", got, want)
			}
		})
	}
}
