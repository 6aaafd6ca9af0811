package por

import (
	"slices"

	"landgo/internal/trace"
)

// prefixes are prefixes of a trace, each with the thread that ran last, by number. The
// room is used again for the next trace.
type prefixes struct {
	width  int
	counts []int32 // of each: how many events of each thread
	last   []trace.TID
	done   []bool  // of each: what goes on from it was looked at
	slots  []int32 // by hash: a number + 1, 0 for none
}

// fewPrefixes is how many slots a trace begins with: a power of two.
const fewPrefixes = 1 << 9

func (p *prefixes) clear(width int) {
	p.width, p.counts, p.last, p.done = width, p.counts[:0], p.last[:0], p.done[:0]
	p.slots = slices.Grow(p.slots[:0], fewPrefixes)[:fewPrefixes]
	clear(p.slots)
}

// at are the counts of prefix i, until the next is added.
func (p *prefixes) at(i int32) []int32 { return p.counts[int(i)*p.width:][:p.width] }

// number is that of a prefix, which is added if it isn't there.
func (p *prefixes) number(counts []int32, last trace.TID) int32 {
	s := p.slot(counts, last)
	if p.slots[s] == 0 {
		if len(p.last)*2 >= len(p.slots) {
			p.grow()
			s = p.slot(counts, last)
		}
		p.counts, p.last, p.done = append(p.counts, counts...), append(p.last, last), append(p.done, false)
		p.slots[s] = int32(len(p.last))
	}
	return p.slots[s] - 1
}

// slot is where the number of a prefix is, or will be.
func (p *prefixes) slot(counts []int32, last trace.TID) int {
	h := uint64(last) + 1
	for _, n := range counts {
		h = (h ^ uint64(n)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	s := int(h) & (len(p.slots) - 1)
	for p.slots[s] != 0 {
		if i := p.slots[s] - 1; p.last[i] == last && slices.Equal(p.at(i), counts) {
			break
		}
		s = (s + 1) & (len(p.slots) - 1)
	}
	return s
}

func (p *prefixes) grow() {
	n := 2 * len(p.slots)
	p.slots = slices.Grow(p.slots[:0], n)[:n]
	clear(p.slots)
	for i := range int32(len(p.last)) {
		p.slots[p.slot(p.at(i), p.last[i])] = i + 1
	}
}
