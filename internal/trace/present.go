package trace

import "math/bits"

// Present is the threads of a state, and sets of them: to find those of one kind,
// a search needn't look at all.
type Present struct {
	// Threads are in ascending order of TID, exited ones included.
	Threads []Thread
	// They have the same length, with room for all threads. Several is of the ready threads
	// with more than one outcome, or one that has a name.
	Ready, Spinning, Several Set
	// Noted has the threads that were described since a reader has emptied it.
	Noted Set
	// Next is the thread with Thread.Next, or NoThread.
	Next TID
	// Listed is how often threads have come or gone, from 1. While it is the same, Threads has the
	// same ones.
	Listed uint64
}

// Set is a set of threads: bit t%64 of word t/64.
type Set []uint64

// Has reports whether a thread is in the set.
func (s Set) Has(t TID) bool {
	n := uint32(t)
	return int(n/64) < len(s) && s[n/64]>>(n%64)&1 != 0
}

// Put puts a thread in, or takes it out. The set has room for it.
func (s Set) Put(t TID, in bool) {
	n := uint32(t)
	w := s[n/64] &^ (1 << (n % 64))
	if in {
		w |= 1 << (n % 64)
	}
	s[n/64] = w
}

// Len is the number of threads.
func (s Set) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// At is the thread before which there are k others, by TID; NoThread if there are no more.
func (s Set) At(k int) TID {
	for i, w := range s {
		n := bits.OnesCount64(w)
		if k >= n {
			k -= n
			continue
		}
		for ; k > 0; k-- {
			w &= w - 1
		}
		return TID(i*64 + bits.TrailingZeros64(w))
	}
	return NoThread
}

// All yields the threads, by TID.
func (s Set) All(yield func(TID) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(TID(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// Widen makes room in the sets for n threads.
func (p *Present) Widen(n int) {
	for w := (n + 63) / 64; len(p.Ready) < w; {
		p.Ready, p.Spinning, p.Several, p.Noted = append(p.Ready, 0), append(p.Spinning, 0), append(p.Several, 0), append(p.Noted, 0)
	}
}

// Note puts a thread into the sets where it belongs.
func (p *Present) Note(t *Thread) {
	p.Ready.Put(t.ID, t.Status == Ready)
	p.Spinning.Put(t.ID, t.Status == Spinning)
	p.Several.Put(t.ID, t.Status == Ready && (t.Outcomes > 1 || t.Named))
	p.Noted.Put(t.ID, true)
}

// Take makes p of a list of threads.
func (p *Present) Take(threads []Thread) {
	p.Threads, p.Next = threads, NoThread
	p.Listed++
	if n := len(threads); n > 0 {
		p.Widen(int(threads[n-1].ID) + 1)
	}
	clear(p.Ready)
	clear(p.Spinning)
	clear(p.Several)
	for i := range threads {
		t := &threads[i]
		p.Note(t)
		if t.Status == Ready && t.Next {
			p.Next = t.ID
		}
	}
}

// Thread is a thread, or nil if it isn't there.
func (p *Present) Thread(t TID) *Thread {
	// Ids of threads not yet created are left out, so its place is no later than its id.
	for k := min(int(t), len(p.Threads)-1); k >= 0; k-- {
		switch th := &p.Threads[k]; {
		case th.ID == t:
			return th
		case th.ID < t:
			return nil
		}
	}
	return nil
}
