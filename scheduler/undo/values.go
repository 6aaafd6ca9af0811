package undo

import "iter"

// Values are values by key that go back. Get and All give copies. Change and Make give a pointer
// through which a value may be changed until the next mark, and both keep the old value. Another
// package can't change one in any other way: the compiler sees to that.
//
// No rewind leads between two marks, so the first change after a mark is enough: a step may
// change a value a million times.
//
// invariant: the slices of a value are never changed in place.
type Values[K comparable, V any] struct {
	now   map[K]*kept[V]
	log   []earlier[K, V]
	since int // how long the log was at the latest mark
}

// kept is a present value.
type kept[V any] struct {
	is V
	at int // its latest place in the log, if the entry there is of it
}

// earlier is a value before a change.
type earlier[K comparable, V any] struct {
	of    *kept[V]
	key   K
	was   V
	fresh bool // there was none
}

// Get is a copy of a key's value; false: there is none.
func (s *Values[K, V]) Get(key K) (v V, ok bool) {
	if k := s.now[key]; k != nil {
		return k.is, true
	}
	return v, false
}

// Len is how many there are.
func (s *Values[K, V]) Len() int { return len(s.now) }

// All are copies of all, in no order.
func (s *Values[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for key, k := range s.now {
			if !yield(key, k.is) {
				return
			}
		}
	}
}

// Make gives a key that has none a value.
func (s *Values[K, V]) Make(key K, v V) *V {
	if s.now == nil {
		s.now = map[K]*kept[V]{}
	}
	k := &kept[V]{is: v, at: len(s.log)}
	s.now[key] = k
	s.log = append(s.log, earlier[K, V]{of: k, key: key, fresh: true})
	return &k.is
}

// Change lets a key's value be changed.
func (s *Values[K, V]) Change(key K) *V {
	k := s.now[key]
	if i := k.at; i < s.since || i >= len(s.log) || s.log[i].of != k {
		k.at = len(s.log)
		s.log = append(s.log, earlier[K, V]{of: k, key: key, was: k.is})
	}
	return &k.is
}

// Mark is a number for the present values.
func (s *Values[K, V]) Mark() int {
	s.since = len(s.log)
	return s.since
}

// Rewind brings the values of a mark back, the latest change first. It calls changes
// for each key before its value goes back.
func (s *Values[K, V]) Rewind(mark int, changes func(K)) {
	for i := len(s.log) - 1; i >= mark; i-- {
		e := &s.log[i]
		changes(e.key)
		if e.fresh {
			delete(s.now, e.key)
		} else {
			e.of.is = e.was
		}
	}
	clear(s.log[mark:])
	s.log, s.since = s.log[:mark], mark
}
