package undo

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/trace"
)

// TestLog compares a log with a slice, over what a search does to it.
func TestLog(t *testing.T) {
	var l Log[int]
	var want []int
	for i := range 5000 {
		if cut := i * 7 % 131; i%97 == 0 && cut <= len(want) {
			want = want[:len(want)-cut]
			l.Cut(len(want))
		}
		want = append(want, i)
		*l.Next() = i
		if l.Len() != len(want) {
			t.Fatalf("after %d: %d entries, want %d", i, l.Len(), len(want))
		}
	}
	for i, w := range want {
		if *l.At(i) != w {
			t.Fatalf("entry %d is %d, want %d", i, *l.At(i), w)
		}
	}
}

// TestArena: what is taken after a mark is given back by a rewind, and what was taken before it
// stays as it was, whatever outgrows its block.
func TestArena(t *testing.T) {
	var a Arena
	type made struct {
		tr       *trace.Transition
		accesses []trace.Access
		mark     ArenaMark
	}
	var path []made
	for n := range 3000 {
		if n%37 == 36 {
			k := n * 11 % len(path)
			a.Rewind(path[k].mark)
			path = path[:k]
		}
		m := made{mark: a.Mark()}
		m.tr = a.Transition(trace.TID(n), 0)
		if len(m.tr.Accesses)+len(m.tr.Ops)+len(m.tr.Wakes) != 0 {
			t.Fatalf("a new transition has something: %+v", m.tr)
		}
		for i := range n * 7 % 200 {
			m.tr.Accesses = append(m.tr.Accesses, trace.Access{Addr: uint64(n), Size: uint32(i)})
		}
		if n%500 == 499 { // more than a block has
			m.tr.Accesses = append(m.tr.Accesses, make([]trace.Access, chunkSize)...)
		}
		m.tr.Ops = append(m.tr.Ops, trace.Op{Obj: uint64(n)})
		a.Seal(m.tr)
		m.accesses = slices.Clone(m.tr.Accesses)
		path = append(path, m)
	}
	for i, m := range path {
		if !slices.Equal(m.tr.Accesses, m.accesses) || len(m.tr.Ops) != 1 || m.tr.Ops[0].Obj != uint64(m.tr.Thread) {
			t.Fatalf("transition %d has changed: %d accesses, %d before", i, len(m.tr.Accesses), len(m.accesses))
		}
	}
}

// TestValues compares values with plain maps, over what a search does to them. What is read is a copy,
// and of the changes between two marks only the first is kept.
func TestValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v Values[int, [2]int]
		now := map[int][2]int{}
		type mark struct {
			n  int
			is map[int][2]int
		}
		marks := []mark{{v.Mark(), map[int][2]int{}}}
		for n := range rapid.IntRange(1, 80).Draw(t, "operations") {
			key := rapid.IntRange(0, 3).Draw(t, "key")
			is, ok := v.Get(key)
			switch rapid.SampledFrom([]string{"set", "set", "set", "mark", "rewind"}).Draw(t, "operation") {
			case "set":
				p := &is
				if ok {
					p = v.Change(key)
				} else {
					p = v.Make(key, is)
				}
				p[0], p[1] = n, -n
				now[key] = [2]int{n, -n}
			case "mark":
				marks = append(marks, mark{v.Mark(), maps.Clone(now)})
			case "rewind":
				marks = marks[:rapid.IntRange(1, len(marks)).Draw(t, "to")]
				now = maps.Clone(marks[len(marks)-1].is)
				v.Rewind(marks[len(marks)-1].n, func(key int) {
					if _, ok := v.Get(key); !ok {
						t.Fatalf("%d changes, and isn't there", key)
					}
				})
			}
			is[0]++ // a copy
			for key, is := range v.All() {
				is[0] = key
			}
			if got := maps.Collect(v.All()); !maps.Equal(got, now) || v.Len() != len(now) {
				t.Fatalf("the values are %v, want %v", got, now)
			}
			if since := len(v.log) - marks[len(marks)-1].n; since > 4 {
				t.Fatalf("%d changes of four values since the mark are kept", since)
			}
		}
	})
}
