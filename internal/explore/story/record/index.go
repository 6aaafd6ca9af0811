package record

import (
	"slices"

	"landgo/internal/trace"
)

// Where threads touched which words, and which steps have operations that are rare. Long runs have
// each access compared with others, so none is looked for among all.

// index is of a run's first beats.
type index struct {
	beats  int
	all    map[visited][]At
	writes map[visited][]At
	rare   map[trace.OpKind][]int // beats with an operation
}

// visited is a word that a thread touches; word wide is for all of its accesses that have many.
type visited struct {
	thread trace.TID
	word   uint64
}

// widest is how many bytes an access has at most whose words are listed.
const (
	widest = 64
	wide   = ^uint64(0)
)

// indexed is the index of all beats.
func (r *Run) indexed() *index {
	x := &r.index
	if x.beats == len(r.Beats) && x.all != nil {
		return x
	}
	*x = index{len(r.Beats), map[visited][]At{}, map[visited][]At{}, map[trace.OpKind][]int{}}
	for i := range r.Beats {
		b := &r.Beats[i]
		for k := range b.Accesses {
			a := &b.Accesses[k]
			for word := range wordsOf(a) {
				v := visited{b.MadeBy(k), word}
				x.all[v] = append(x.all[v], At{i, k})
				if a.IsWrite() {
					x.writes[v] = append(x.writes[v], At{i, k})
				}
			}
		}
		for k := range b.Ops {
			switch kind := b.Ops[k].Kind; kind {
			case trace.OpCreate, trace.OpJoin, trace.OpFree:
				if list := x.rare[kind]; len(list) == 0 || list[len(list)-1] != i {
					x.rare[kind] = append(list, i)
				}
			}
		}
	}
	return x
}

// wordsOf are the words of an access, or one for all that are wide.
func wordsOf(a *trace.Access) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		if a.Size > widest {
			yield(wide)
			return
		}
		for w := a.Addr >> 3; w <= (a.Addr+max(uint64(a.Size), 1)-1)>>3; w++ {
			if !yield(w) {
				return
			}
		}
	}
}

// conflicting are the lists of a thread's accesses among which are all that may conflict with one.
// ok is false if it has too many words.
func (r *Run) conflicting(t trace.TID, a *trace.Access) (lists [][]At, ok bool) {
	if a.Size > widest {
		return nil, false
	}
	x := r.indexed()
	from := x.writes
	if a.IsWrite() {
		from = x.all
	}
	for word := range wordsOf(a) {
		lists = append(lists, from[visited{t, word}])
	}
	return append(lists, from[visited{t, wide}]), true
}

// since is the number of a list's accesses that come before one.
func since(list []At, x At) int {
	n, _ := slices.BinarySearchFunc(list, x, func(y, x At) int {
		switch {
		case y.Before(x):
			return -1
		case x.Before(y):
			return 1
		}
		return 0
	})
	return n
}

// rarely reports whether an operation of a kind that is rare comes between two accesses.
func (r *Run) rarely(x, y At, kind trace.OpKind, is func(*trace.Op) bool) bool {
	list := r.indexed().rare[kind]
	n, _ := slices.BinarySearch(list, x.Beat)
	for _, i := range list[n:] {
		if i > y.Beat {
			return false
		}
		for k := range r.Beats[i].Ops {
			o := &r.Beats[i].Ops[k]
			if here := (At{i, int(o.At)}); o.Kind == kind && is(o) && x.Before(here) && !y.Before(here) {
				return true
			}
		}
	}
	return false
}
