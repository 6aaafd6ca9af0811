package linux

import (
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// Memory that is mapped shared, and of no file, lies in a nameless file of Linux's. MADV_DONTNEED only
// takes it from the page tables, so what is in it stays.

// keeps lists maps in the order in which they were made, from the first that is shared on. The last
// one that has a page says whether what is in it is kept.
type keeps struct {
	n    effect.Word
	list []*kept // the first n count; grows only
}

type kept struct{ lo, hi, shared effect.Word }

// note has a map made. Before the first that is kept, none makes a difference.
func (k *keeps) note(l *effect.Log, addr, size uint64, shared bool) {
	n := l.Get(&k.n)
	if !shared && n == 0 {
		return
	}
	if n == uint64(len(k.list)) {
		w := effect.At(wordBreak, 0)
		k.list = append(k.list, &kept{w, w, w})
	}
	x := k.list[n]
	l.Set(&x.lo, addr)
	l.Set(&x.hi, addr+size)
	l.Set(&x.shared, 0)
	if shared {
		l.Set(&x.shared, 1)
	}
	l.Set(&k.n, n+1)
}

// at says whether what is in a page is kept, and up to where that is so of pages before end.
func (k *keeps) at(l *effect.Log, page, end uint64) (shared bool, to uint64) {
	to = end
	for i := l.Get(&k.n); i > 0; i-- {
		x := k.list[i-1]
		switch lo, hi := l.Get(&x.lo), l.Get(&x.hi); {
		case lo <= page && page < hi:
			return l.Get(&x.shared) != 0, min(to, hi)
		case lo > page:
			to = min(to, lo)
		}
	}
	return false, to
}

// look records that a call looks whether pages are in a map, not at what they hold.
func (s *space) look(addr, size uint64) {
	const most = 1024
	for page := uint64(0); page < size && page < most*abi.PageSize; page += abi.PageSize {
		s.log.Touch(addr+page, 1, trace.Atomic|trace.Library)
	}
	if size > most*abi.PageSize {
		s.log.Touch(addr, size, trace.Atomic|trace.Library)
	}
}

// forget is MADV_DONTNEED: it clears the pages of a range that aren't kept.
func (s *space) forget(addr, size uint64) {
	for end := addr + size; addr < end; {
		shared, to := s.keeps.at(s.log, addr, end)
		for i := range s.files.made.Peek() {
			switch f := s.files.inodes[i]; {
			case f.base.Peek() > addr:
				to = min(to, f.base.Peek())
			case addr < f.base.Peek()+f.span.Peek():
				shared, to = true, min(to, f.base.Peek()+f.span.Peek())
			}
		}
		if shared {
			s.look(addr, to-addr)
		} else {
			s.log.Clear(addr, to-addr)
		}
		addr = to
	}
}
