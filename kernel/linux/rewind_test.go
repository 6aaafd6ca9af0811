package linux

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// moment is a remembered state of a driver.
type moment struct {
	mark    trace.Mark
	threads []*driven
	rng     rand.PCG
	digest  string
	over    driver // the verdict fields only
}

func (d *driver) remember(rng *rand.PCG) moment {
	m := moment{mark: d.m.Mark(), rng: *rng, digest: d.digest(), over: *d}
	for _, t := range d.threads {
		m.threads = append(m.threads, t.clone())
	}
	return m
}

func (d *driver) back(m moment, rng *rand.PCG) {
	d.m.Rewind(m.mark)
	*rng = m.rng
	d.threads = nil
	for _, t := range m.threads {
		d.threads = append(d.threads, t.clone())
	}
	d.over, d.why, d.status, d.signal = m.over.over, m.over.why, m.over.status, m.over.signal
}

// queuedIn has what waits, as text.
func queuedIn(b *backlog) string {
	var text []byte
	for _, q := range b.list[:b.n.Peek()] {
		text = fmt.Append(text, *q)
	}
	return string(text)
}

// digest is the kernel's whole state and the guest's memory as text.
func (d *driver) digest() string {
	k := d.k
	var b strings.Builder
	fmt.Fprintln(&b, k.roster.live, k.clock.now, k.signals.pending, queuedIn(k.signals.backlog), k.space, k.signals.actions) // words as {value address}
	for _, t := range k.roster.threads {
		if t != nil {
			c := *t
			fresh := newThread(t.id, t.parent, t.number)
			fresh.nth, fresh.hash, fresh.wait.interests, fresh.backlog = t.nth, t.hash, t.wait.interests, t.backlog
			if c != *fresh { // a name that this execution did reach
				c.parent, c.backlog = nil, nil
				fmt.Fprintf(&b, "%d %+v %s\n", t.number, c, queuedIn(t.backlog))
			}
		}
	}
	for _, addr := range slices.Sorted(maps.Keys(k.queues.at)) {
		if head := k.queues.at[addr].head.Peek(); head != 0 {
			fmt.Fprintln(&b, addr, head)
		}
	}
	for fd, f := range k.files.table {
		if f.use.Peek() != useClosed {
			fmt.Fprintln(&b, fd, *f)
		}
	}
	for _, f := range k.files.descriptions[:k.files.opened.Peek()] {
		fmt.Fprintln(&b, f.kind, f.offset, string(f.text))
	}
	fmt.Fprintln(&b, k.files.stdinRead, k.files.redirected, k.signals.handlers.list[:k.signals.handlers.n.Peek()])
	fmt.Fprintf(&b, "%q %q\n", k.Output(1), k.Output(2))
	h := fnv.New64a()
	d.memory(func(addr, size uint64) {
		for a := addr; a < addr+size; a += abi.PageSize {
			h.Write([]byte{byte(d.m.Prot(a))})
			if !d.m.IsZero(a) {
				h.Write(d.m.Bytes(a, abi.PageSize))
			}
		}
	})
	fmt.Fprintln(&b, h.Sum64())
	return b.String()
}

// memory calls f with all ranges that may have been used.
func (d *driver) memory(f func(addr, size uint64)) {
	s := &d.k.space
	for _, g := range d.k.img.Segments {
		f(g.Addr, g.MemSize)
	}
	f(s.brkLo, abi.PageUp(s.brk.Peek())-s.brkLo)
	f(s.stack.hi-1<<18, 1<<18)
	for _, t := range d.k.roster.threads {
		if t != nil {
			w, _ := t.window(t.windows.Peek())
			f(w.lo, min(t.mapped.Peek(), 48<<20))
		}
	}
}

// TestRewind runs guests to random moments, goes on, comes back, and goes on
// again: what was is again, what followed follows again.
func TestRewind(t *testing.T) {
	for _, name := range []string{"cond", "cancel", "robust", "pi", "malloc", "signals", "timed", "detach", "stdin"} {
		source, err := os.ReadFile(filepath.Join("testdata", name+".c"))
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range toolchains[:2] {
			t.Run(name+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				guest := tc.build(t, string(source))
				for seed := uint64(1); seed <= 2; seed++ {
					rewindOnce(t, guest, seed)
				}
			})
		}
	}
}

func rewindOnce(t *testing.T, guest string, seed uint64) {
	rng := rand.NewPCG(seed, 0)
	d := newDriver(t, guest, Config{Stdin: []byte("a\nb\n"), Args: []string{"guest", "/sys/devices/system/cpu/online"}})
	d.choose = func(n uint32) trace.Choice { return trace.Choice(rng.Uint64() % uint64(n)) }
	step := func() {
		d.quantum = 20 + rng.Uint64()%2000
		d.run(int(1 + rng.Uint64()%25))
	}
	step()
	for round := 0; round < 6 && !d.over; round++ {
		first := d.remember(rng)
		step()
		second := d.remember(rng)
		step()
		end := d.digest()

		d.back(second, rng)
		if got := d.digest(); got != second.digest {
			t.Fatalf("seed %d, round %d: the state isn't as it was:\n%s\nwas\n%s", seed, round, got, second.digest)
		}
		step()
		if got := d.digest(); got != end {
			t.Fatalf("seed %d, round %d: another end:\n%s\nwas\n%s", seed, round, got, end)
		}
		d.back(first, rng)
		if got := d.digest(); got != first.digest {
			t.Fatalf("seed %d, round %d: the outer state isn't as it was:\n%s\nwas\n%s", seed, round, got, first.digest)
		}
		step()
		if got := d.digest(); got != second.digest {
			t.Fatalf("seed %d, round %d: another middle:\n%s\nwas\n%s", seed, round, got, second.digest)
		}
	}
}
