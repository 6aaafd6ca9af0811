package known

import (
	"cmp"
	"encoding/json"
	"slices"

	"landgo/internal/trace"
)

// Sets of facts. In JSON they are lists in ascending order, so that the same facts are
// the same text.

// add adds an element to a set. It reports whether it is new.
func add[S ~map[E]bool, E comparable](s S, e E) bool {
	was := s[e]
	s[e] = true
	return !was
}

func unite[S ~map[E]bool, E comparable](s, o S) (news bool) {
	for e := range o {
		news = add(s, e) || news
	}
	return news
}

// Addresses is a set of addresses, or of threads' numbers.
type Addresses map[uint64]bool

// Has reports whether a is one of them. Most sets are empty in most programs.
func (s Addresses) Has(a uint64) bool { return len(s) > 0 && s[a] }

// Add adds an address. It reports whether it is new.
func (s Addresses) Add(a uint64) bool { return add(s, a) }

func (s Addresses) merge(o Addresses) (news bool) { return unite(s, o) }

// MarshalJSON implements json.Marshaler.
func (s Addresses) MarshalJSON() ([]byte, error) {
	return list(s, func(a uint64, _ bool) uint64 { return a }, cmp.Compare)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Addresses) UnmarshalJSON(b []byte) error {
	*s = Addresses{}
	return unlist(b, func(a uint64) { (*s)[a] = true })
}

// Bytes has the bytes that ticks read and write of 8, a bit for each.
type Bytes struct{ Reads, Writes uint8 }

// Ticked has the accesses of ticks to memory, by address / 8.
type Ticked map[uint64]Bytes

// tickedJSON is one of its places.
type tickedJSON struct {
	At            uint64
	Reads, Writes uint8
}

// Add adds what ticks did to 8 bytes. It reports whether it is new.
func (s Ticked) Add(at uint64, by Bytes) bool {
	old := s[at]
	now := Bytes{old.Reads | by.Reads, old.Writes | by.Writes}
	if now == old {
		return false
	}
	s[at] = now
	return true
}

func (s Ticked) merge(o Ticked) (news bool) {
	for at, by := range o {
		news = s.Add(at, by) || news
	}
	return news
}

// MarshalJSON implements json.Marshaler.
func (s Ticked) MarshalJSON() ([]byte, error) {
	return list(s, func(at uint64, by Bytes) tickedJSON { return tickedJSON{at, by.Reads, by.Writes} },
		func(a, b tickedJSON) int { return cmp.Compare(a.At, b.At) })
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Ticked) UnmarshalJSON(b []byte) error {
	*s = Ticked{}
	return unlist(b, func(t tickedJSON) { s.Add(t.At, Bytes{t.Reads, t.Writes}) })
}

// Frames has places of return addresses, each with the lowest address of variables that end with the
// return.
type Frames map[uint64]uint64

// Add adds a variable of a frame. It reports whether that is news.
func (s Frames) Add(place, variable uint64) bool {
	if low, ok := s[place]; ok && low <= variable {
		return false
	}
	s[place] = variable
	return true
}

func (s Frames) merge(o Frames) (news bool) {
	for place, variable := range o {
		news = s.Add(place, variable) || news
	}
	return news
}

// Mover is the number that a thread adds to a word for a while.
type Mover struct {
	Thread   trace.TID
	At, Adds uint64
	Size     uint32
}

// Movers is a set of those.
type Movers map[Mover]bool

// Add adds one. It reports whether it is new.
func (s Movers) Add(m Mover) bool { return add(s, m) }

func (s Movers) merge(o Movers) (news bool) { return unite(s, o) }

// MarshalJSON implements json.Marshaler.
func (s Movers) MarshalJSON() ([]byte, error) {
	return list(s, func(m Mover, _ bool) Mover { return m }, func(a, b Mover) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Adds, b.Adds), cmp.Compare(a.Size, b.Size))
	})
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Movers) UnmarshalJSON(b []byte) error {
	*s = Movers{}
	return unlist(b, func(m Mover) { (*s)[m] = true })
}

// TailWord is 8 bytes that the tail of a new thread pops or pushes, by address / 8.
type TailWord struct {
	Thread trace.TID
	At     uint64
}

// TailWords is a set of those.
type TailWords map[TailWord]bool

func (s TailWords) merge(o TailWords) {
	for w := range o {
		s[w] = true
	}
}

// MarshalJSON implements json.Marshaler.
func (s TailWords) MarshalJSON() ([]byte, error) {
	return list(s, func(w TailWord, _ bool) TailWord { return w },
		func(a, b TailWord) int { return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At)) })
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *TailWords) UnmarshalJSON(b []byte) error {
	*s = TailWords{}
	return unlist(b, func(w TailWord) { (*s)[w] = true })
}

// list is a map as a sorted list; null, if it is empty.
func list[K comparable, V, T any](m map[K]V, of func(K, V) T, order func(a, b T) int) ([]byte, error) {
	var all []T
	for k, v := range m {
		all = append(all, of(k, v))
	}
	slices.SortFunc(all, order)
	return json.Marshal(all)
}

// unlist calls f with each of a list.
func unlist[T any](b []byte, f func(T)) error {
	var all []T
	err := json.Unmarshal(b, &all)
	for _, x := range all {
		f(x)
	}
	return err
}
