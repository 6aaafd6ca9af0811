package relation

import (
	"math/rand"
	"testing"

	"landgo/internal/trace"
)

// digestOf is the digest of the trace by its definition: of whole clocks.
func digestOf(o *Order, choices []trace.Choice) (sum trace.Digest) {
	var names []trace.Digest
	counts := make([]uint64, o.Width())
	for i := range int32(o.Len()) {
		t := o.Thread(i)
		counts[t]++
		h := trace.NewHash()
		h.Word(uint64(t)<<32 | counts[t])
		names = append(names, h.Sum())
		var before trace.Digest
		for _, c := range o.Clock(i) {
			if c > 0 {
				before.Add(names[c-1])
			}
		}
		h.Words(uint64(choices[i]), before[0], before[1])
		sum.Add(h.Sum())
	}
	return sum
}

// pair is an execution of which one order keeps clocks, the other the digest alone.
type pair struct {
	clocks, digest *Order
	choices        []trace.Choice
}

func newPair() *pair {
	p := &pair{NewClocks(), New(), nil}
	p.digest.Digests()
	return p
}

func (p *pair) both(f func(*Order)) {
	f(p.clocks)
	f(p.digest)
}

func (p *pair) push(e *Event) {
	var first trace.Op
	if len(e.Ops) > 0 {
		first = e.Ops[0]
	}
	p.both(func(o *Order) {
		o.Widen(int(e.Thread) + 1)
		o.Push(e, first)
	})
	p.choices = append(p.choices, e.Choice)
}

func (p *pair) pop() {
	p.both((*Order).Pop)
	p.choices = p.choices[:len(p.choices)-1]
}

// TestDigest: the digest that is kept as an execution goes on, and back, is that of the clocks:
// with few threads and with many, which appear one after the other.
func TestDigest(t *testing.T) {
	for seed := range int64(300) {
		rnd := rand.New(rand.NewSource(seed))
		p, most := newPair(), []int{3, 20, 70}[seed%3]
		for k := range 150 {
			if rnd.Intn(8) == 0 {
				for range rnd.Intn(min(6, len(p.choices)+1)) {
					p.pop()
				}
			}
			e := anyEvent(rnd)
			e.Thread, e.Choice = trace.TID(rnd.Intn(min(most, 2+k))), trace.Choice(rnd.Intn(2))
			p.push(e)
			if rnd.Intn(6) == 0 {
				w := trace.TID(rnd.Intn(most))
				p.both(func(o *Order) { o.Wake(w) })
			}
			if got, want := p.digest.Digest(), digestOf(p.clocks, p.choices); got != want {
				t.Fatalf("seed %d, event %d: %x, want %x", seed, len(p.choices), got, want)
			}
		}
		p.both((*Order).Clear)
		if got := p.digest.Digest(); got != (trace.Digest{}) {
			t.Fatalf("seed %d: %x for no events", seed, got)
		}
	}
}

// BenchmarkDigest: steps of threads that each load and store one variable.
func BenchmarkDigest(b *testing.B) {
	for _, c := range []struct {
		name    string
		threads int
	}{{"2", 2}, {"100", 100}} {
		b.Run(c.name, func(b *testing.B) {
			const steps = 20_000
			o := New()
			o.Digests()
			o.Widen(c.threads)
			rnd := rand.New(rand.NewSource(1))
			events := make([]*Event, steps)
			for i := range events {
				events[i] = access(trace.TID(rnd.Intn(c.threads)), 0x100, trace.AccessFlags(rnd.Intn(2))*trace.Write)
			}
			b.ResetTimer()
			for i := range b.N {
				if i%steps == 0 {
					o.Clear()
				}
				o.Push(events[i%steps], trace.Op{})
			}
		})
	}
}
