package scheduler

import "testing"

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

// TestSavedOnce: between two marks a thread is kept once, and goes back to what it was at
// each of them; what was cut off counts for nothing.
func TestSavedOnce(t *testing.T) {
	s := &state{threads: make([]thread, 2)}
	s.threads[1].ID = 1
	mark := func() {
		s.serial++
		s.marks = append(s.marks, mark{threads: s.threadLog.Len()})
	}
	keep := func(id int, insns uint64) {
		if th := &s.threads[id]; !s.savedSince(th.ID) {
			s.save(th.ID)
		}
		s.threads[id].Insns = insns
	}
	rewind := func(k int) {
		s.takeUp(&s.marks[k])
		s.marks = s.marks[:k+1]
	}
	check := func(what string, kept int, first, second uint64) {
		t.Helper()
		if s.threadLog.Len() != kept || s.threads[0].Insns != first || s.threads[1].Insns != second {
			t.Fatalf("%s: %d kept, threads at %d and %d; want %d, %d and %d", what, s.threadLog.Len(), s.threads[0].Insns, s.threads[1].Insns, kept, first, second)
		}
	}
	mark()
	keep(0, 1)
	keep(0, 2)
	check("twice", 1, 2, 0)
	keep(1, 7)
	mark()
	keep(0, 3)
	keep(0, 4)
	check("after a mark", 3, 4, 7)
	rewind(1)
	check("back", 2, 2, 7)
	keep(1, 8)
	keep(0, 5)
	check("again", 4, 5, 8)
	rewind(0)
	check("all the way", 0, 0, 0)
	keep(1, 9)
	keep(0, 9)
	check("anew", 2, 9, 9)
	rewind(0)
	check("and back", 0, 0, 0)
}
