package trust

import "landgo/internal/trace"

// rows are sets of threads, one for each state of a graph, as bits.
type rows struct {
	bits  []uint64
	words int // of a set
}

func (r *rows) reset() { r.bits, r.words = r.bits[:0], 1 }

// widen makes room for n threads.
func (r *rows) widen(n int) {
	words := (n + 63) / 64
	if words <= r.words {
		return
	}
	wide := make([]uint64, len(r.bits)/r.words*words)
	for i := range len(r.bits) / r.words {
		copy(wide[i*words:], r.bits[i*r.words:(i+1)*r.words])
	}
	r.bits, r.words = wide, words
}

// cut leaves the sets of the first n states.
func (r *rows) cut(n int) { r.bits = r.bits[:min(len(r.bits), n*r.words)] }

// row is state i's set, all of those before it being there. It is emptied.
func (r *rows) row(i int) []uint64 {
	r.cut(i)
	r.bits = atLeast(r.bits, (i+1)*r.words)
	set := r.bits[i*r.words:]
	clear(set)
	return set
}

func (r *rows) add(i int, t trace.TID) { r.bits[i*r.words+int(t)/64] |= 1 << (t % 64) }

func (r *rows) has(i int, t trace.TID) bool {
	w := int(t) / 64
	return w < r.words && r.bits[i*r.words+w]>>(uint(t)%64)&1 != 0
}

// from appends the sets of state i and those after it to dst.
func (r *rows) from(dst rows, i int) rows {
	return rows{append(dst.bits[:0], r.bits[i*r.words:]...), r.words}
}

// put makes set j of o that of state i.
func (r *rows) put(i int, o *rows, j int) { copy(r.row(i), o.bits[j*o.words:(j+1)*o.words]) }

// atLeast is list with n entries or more, those that are new being zero.
func atLeast[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	return append(list, make([]T, n-len(list))...)
}
