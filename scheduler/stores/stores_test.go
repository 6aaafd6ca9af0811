package stores

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/trace"
)

// store is a store of bytes from one on.
func store(addr uint64, size uint32, first byte) (trace.Access, []byte) {
	bytes := make([]byte, size)
	for i := range bytes {
		bytes[i] = first + byte(i)
	}
	return trace.Access{Addr: addr, Size: size, PC: 0x1000 + uint64(first), Flags: trace.Write}, bytes
}

// TestEntries: the stores of a step are an entry, whose number is that of its first instruction.
// Stores of one instruction in several steps have several.
func TestEntries(t *testing.T) {
	var b Buffer
	push := func(addr uint64, insn uint64) (first bool) {
		a, bytes := store(addr, 4, 1)
		b, first = b.Push(a, bytes, insn)
		return first
	}
	if !push(0x10, 3) || push(0x20, 4) {
		t.Error("a step has one entry")
	}
	b = b.Rest()
	if !push(0x30, 3) {
		t.Error("the next step has another")
	}
	b = b.Rest()
	if push(0x40, 7); b.Pushed() != 3 || b.Updated() != 0 || !b.InStep() {
		t.Errorf("%d entries, %d gone", b.Pushed(), b.Updated())
	}
	var numbers []uint64
	for _, e := range b.Queue() {
		numbers = append(numbers, e.Number)
	}
	if want := []uint64{3 * perInstruction, 3*perInstruction + 1, 7 * perInstruction}; !slices.Equal(numbers, want) {
		t.Errorf("the entries' numbers are %v, and not %v", numbers, want)
	}
	if n := b.Newest(); len(n) != 1 || n[0].Addr != 0x40 {
		t.Errorf("the newest entry: %+v", n)
	}
	if b = b.Pop(); b.Updated() != 1 || b.Empty() || len(b.List()) != 2 {
		t.Errorf("%d gone, left %+v", b.Updated(), b.List())
	}
	if b = b.Drop().Rejoin(); !b.Empty() || b.InStep() || b.Updated() != 3 {
		t.Errorf("all gone: %+v", b)
	}
}

// TestWaited: a store to which the thread has waited answers nothing, in the buffer or not.
func TestWaited(t *testing.T) {
	a, bytes := store(0x10, 4, 1)
	b, _ := Buffer{}.Push(a, bytes, 1)
	if n, whole := b.Answer(0x12, 2); n != 1 || !whole || !b.Answered(0x12, 2) {
		t.Errorf("within the store: %d, %v", n, whole)
	}
	if n, whole := b.Answer(0x12, 4); n != 1 || whole || b.Answered(0x12, 4) {
		t.Errorf("over its end: %d, %v", n, whole)
	}
	if n, _ := b.Answer(0x14, 4); n != 0 {
		t.Errorf("behind it: %d", n)
	}
	if b = b.Pop(); b.Answered(0x10, 4) {
		t.Error("a store in memory is in no buffer")
	}
	if n, whole := b.Answer(0x10, 4); n != 1 || !whole {
		t.Error("it is still the thread's newest")
	}
	if !b.Stored() {
		t.Error("the thread has stored")
	}
	b = b.Waited()
	if n, _ := b.Answer(0x10, 4); n != 0 || b.Stored() {
		t.Error("the thread has waited for it")
	}
}

// TestRedirect: stores to pages that go aren't found any more. Those beside stay.
func TestRedirect(t *testing.T) {
	var b Buffer
	for i, addr := range []uint64{0x10, 0x100, 0x1fe} {
		a, bytes := store(addr, 4, byte(i))
		b, _ = b.Push(a, bytes, 1)
	}
	inside := func(addr, size uint64) bool { return 0x100 <= addr && addr+size <= 0x200 }
	moved := b.Redirect(inside, func(p *Part) { p.Addr += 0x1000 })
	if moved.Answered(0x100, 4) || !moved.Answered(0x10, 4) || !moved.Answered(0x1fe, 4) || !b.Answered(0x100, 4) {
		t.Error("loads don't find what has moved, and find the rest")
	}
	var got []uint64
	for _, a := range moved.List() {
		got = append(got, a.Addr)
	}
	if want := []uint64{0x10, 0x1100, 0x1fe}; !slices.Equal(got, want) {
		t.Errorf("the stores are at %#x, and not at %#x", got, want)
	}
	lost := b.Redirect(inside, func(p *Part) { p.Bytes = nil })
	seen := make([]byte, 0x200)
	if lost.Overlay(seen, 0); seen[0x100] != 0 || seen[0x13] != 3 {
		t.Error("bytes of a page that is gone are in no memory")
	}
}

// TestHash: equal stores have equal hashes, and others don't.
func TestHash(t *testing.T) {
	hash := func(b Buffer) trace.Digest {
		h := trace.NewHash()
		b.Hash(&h)
		return h.Sum()
	}
	a, bytes := store(0x10, 4, 1)
	b, _ := Buffer{}.Push(a, bytes, 1)
	same, _ := Buffer{}.Push(a, slices.Clone(bytes), 9) // in another instruction
	if hash(b) != hash(same) || hash(b) == hash(Buffer{}) {
		t.Error("the hash is of the stores alone")
	}
	bytes = slices.Clone(bytes)
	bytes[3]++
	if other, _ := (Buffer{}).Push(a, bytes, 1); hash(b) == hash(other) {
		t.Error("the hash is of all bytes")
	}
}

// TestAgainstModel: random stores, steps and updates, with a list of all that was stored beside
// them. A load finds its newest store byte by byte. No change touches a copy.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type stored struct {
			addr, size uint64
			entry      uint32
		}
		var b Buffer
		var all []stored
		var kept []Buffer
		var copies []string
		memory := map[uint64]byte{}
		text := func(b *Buffer) string { return fmt.Sprintf("%+v", *b) }
		for i := range rapid.IntRange(1, 20).Draw(t, "changes") {
			kept, copies = append(kept, b), append(copies, text(&b))
			switch what := rapid.IntRange(0, 3).Draw(t, "change"); {
			case what < 2:
				a, bytes := store(rapid.Uint64Range(0, 8).Draw(t, "addr"), rapid.Uint32Range(1, 4).Draw(t, "size"), byte(i))
				b, _ = b.Push(a, bytes, uint64(i))
				all = append(all, stored{a.Addr, uint64(a.Size), b.Pushed()})
			case what == 2:
				b = b.Rest()
			case !b.Empty() && !b.InStep():
				for _, p := range b.Queue()[0].Parts {
					for k, v := range p.Bytes {
						memory[p.Addr+uint64(k)] = v
					}
				}
				b = b.Pop()
			}
		}
		for i := range kept {
			if now := text(&kept[i]); now != copies[i] {
				t.Fatalf("copy %d was changed: %s, was %s", i, now, copies[i])
			}
		}
		newest := func(at uint64) int {
			for i := len(all) - 1; i >= 0; i-- {
				if all[i].addr <= at && at < all[i].addr+all[i].size {
					return i
				}
			}
			return -1
		}
		want := maps.Clone(memory)
		for _, e := range b.Queue() {
			for _, p := range e.Parts {
				for k, v := range p.Bytes {
					want[p.Addr+uint64(k)] = v
				}
			}
		}
		seen := make([]byte, 12)
		for k := range seen {
			seen[k] = memory[uint64(k)]
		}
		b.Overlay(seen, 0)
		for k, v := range seen {
			if v != want[uint64(k)] {
				t.Fatalf("byte %d is seen as %d, and not as %d", k, v, want[uint64(k)])
			}
		}
		load := trace.Access{Addr: rapid.Uint64Range(0, 8).Draw(t, "load"), Size: rapid.Uint32Range(1, 4).Draw(t, "of")}
		var of []int
		for at := load.Addr; at < load.Addr+uint64(load.Size); at++ {
			of = append(of, newest(at))
		}
		one := !slices.ContainsFunc(of, func(i int) bool { return i != of[0] })
		switch pieces := b.Pieces(&load); {
		case pieces == nil && !one, pieces != nil && one:
			t.Fatalf("a load of stores %v is in %d pieces", of, len(pieces))
		case pieces == nil:
			if found := of[0] >= 0 && all[of[0]].entry > b.Updated(); found != b.Answered(load.Addr, uint64(load.Size)) {
				t.Fatalf("the buffer answers: %v", !found)
			}
		default:
			var got []int
			for _, p := range pieces {
				for at := p.Addr; at < p.Addr+uint64(p.Size); at++ {
					i := newest(at)
					if got = append(got, i); (i >= 0 && all[i].entry > b.Updated()) != (p.Flags&trace.Buffered != 0) {
						t.Fatalf("byte %d of store %d: %+v", at, i, p)
					}
				}
			}
			if !reflect.DeepEqual(got, of) {
				t.Fatalf("the pieces are of %v, and not of %v", got, of)
			}
		}
	})
}
