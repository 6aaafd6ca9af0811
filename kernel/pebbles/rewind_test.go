package pebbles

import (
	"fmt"
	"hash/fnv"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// fingerprint is all that an execution can change: the kernel's state, and the
// guest's memory with its permissions.
func (w *world) fingerprint() string {
	k := w.k
	s := fmt.Sprintln(k.live, k.status, k.mapped, k.used, k.printed, k.consumed, k.now, string(k.Output(1)))
	for _, t := range k.threads {
		// One that was met in another execution only is as if it weren't there.
		if t != nil && t.state != absent {
			s += fmt.Sprintf("%+v\n", *t)
		}
	}
	h := fnv.New64a()
	add := func(base, size uint64) {
		for a := base; a < base+size; a += abi.PageSize {
			h.Write([]byte{byte(w.m.Prot(a))})
		}
		h.Write(w.m.Bytes(base, size))
	}
	for _, r := range k.regions[:k.mapped] {
		s += fmt.Sprintf("%+v\n", *r)
		add(r.base, r.size)
	}
	for _, g := range k.img.Segments {
		add(g.Addr, g.MemSize)
	}
	add(mainTop-k.cfg.StackSize, k.cfg.StackSize)
	return s + fmt.Sprint(h.Sum64())
}

// TestRewind: whatever a guest does between, a rewind brings all of the state
// back, and from there the same schedule does the same again.
func TestRewind(t *testing.T) {
	for _, guest := range []string{
		"abi-pages", "abi-console", "abi-swexn", "abi-tid", "abi-time", "abi-deschedule", "abi-autostack",
		"spin-reuse", "spin-broadcast", "spin-join_frees_early-join", "queue-sem", "queue-reuse",
	} {
		t.Run(guest, func(t *testing.T) {
			w := newWorld(t, guest, Config{Stdin: []byte("ab\nlonger line\nend")})
			boot := w.mark()
			rapid.Check(t, func(t *rapid.T) {
				w.rewind(boot)
				w.turns(t, "before", 60)
				before := w.fingerprint()
				here := w.mark()
				schedule := w.turns(t, "first", 40)
				after := w.fingerprint()
				w.rewind(here)
				if got := w.fingerprint(); got != before {
					t.Fatalf("rewound to\n%s\nfrom\n%s", got, before)
				}
				w.turns(t, "other", 40)
				w.rewind(here)
				for _, s := range schedule {
					w.run(s.thread, s.insns)
				}
				if got := w.fingerprint(); got != after {
					t.Fatalf("the second time\n%s\nthe first time\n%s", got, after)
				}
			})
		})
	}
}

type turn struct {
	thread trace.TID
	insns  uint64
}

// turns lets threads run as rapid draws it, at most n of them.
func (w *world) turns(t *rapid.T, label string, n int) []turn {
	var done []turn
	for i := rapid.IntRange(0, n).Draw(t, label); i > 0 && w.end == ""; i-- {
		ts := w.ready()
		if len(ts) == 0 {
			break
		}
		next := turn{rapid.SampledFrom(ts).Draw(t, "thread"), rapid.Uint64Range(1, 200).Draw(t, "insns")}
		w.run(next.thread, next.insns)
		done = append(done, next)
	}
	return done
}
