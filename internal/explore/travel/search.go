package travel

import (
	"slices"

	"landgo/internal/debugger"
	"landgo/internal/trace"
)

// Go implements debugger.Target.
func (t *Travel) Go(o debugger.Order) (*debugger.Stop, error) {
	if t.goal != nil {
		o, t.goal = debugger.Order{To: true, At: *t.goal}, nil
	}
	defer t.interrupted.Store(false) // an interrupt may come before what it is for
	from := t.at
	stop, err := t.find(&o)
	if err != nil {
		return nil, err
	}
	if err := t.bring(t.at); err != nil {
		t.at = from
		return nil, err
	}
	stop.Thread, stop.Moved = number(t.current), t.at != from
	return stop, nil
}

// Interrupt implements debugger.Target.
func (t *Travel) Interrupt() { t.interrupted.Store(true) }

// number is a thread's for debuggers, and tid the reverse.
func number(tid trace.TID) int   { return int(tid) + 1 }
func tidOf(number int) trace.TID { return trace.TID(number) - 1 }

// find sets the moment and the thread at which an order ends.
func (t *Travel) find(o *debugger.Order) (*debugger.Stop, error) {
	if o.To {
		at := min(o.At, t.total)
		t.stand(at)
		return &debugger.Stop{Why: debugger.AtStep}, nil
	}
	h := hunt{Order: o, step: tidOf(o.Step)}
	for _, w := range o.Watches {
		at := w.Addr
		if t.s.Platform.Ticks {
			at = t.s.Image.Physical(at) // a kernel's memory is known by that
		}
		h.lo, h.hi = append(h.lo, at), append(h.hi, at+w.Size)
	}
	if o.Back {
		return t.back(&h)
	}
	return t.forth(&h)
}

// stand makes a moment the present one, and the thread whose tick comes next the current
// one.
func (t *Travel) stand(at uint64) {
	t.at = at
	if n := t.pieceAt(at); n < len(t.pieces) {
		t.current = t.owner(t.pieces[n].step.Thread)
	} else {
		t.current = t.owner(t.pieces[n-1].step.Thread)
	}
}

// hunt is a search under way.
type hunt struct {
	*debugger.Order
	step   trace.TID
	lo, hi []uint64
}

// watched is the watch that an access is of, or -1.
func (h *hunt) watched(a *access) int {
	for i := range h.lo {
		if w := &h.Watches[i]; a.addr < h.hi[i] && h.lo[i] < a.addr+uint64(a.size) && (a.write && w.Write || !a.write && w.Read) {
			return i
		}
	}
	return -1
}

// within reports whether a step that reached pc goes on.
func (h *hunt) within(pc uint64) bool { return h.Low <= pc && pc < h.High }

// forth looks from the present moment on. The current thread is the one that made the
// tick before the stop, or makes the one that is stopped before.
func (t *Travel) forth(h *hunt) (*debugger.Stop, error) {
	start := t.at
	for n := t.pieceAt(t.at); n < len(t.pieces); n++ {
		if t.interrupted.Load() {
			t.stand(t.pieces[n].base)
			return &debugger.Stop{Why: debugger.Interrupted}, nil
		}
		x, err := t.trail(n)
		if err != nil {
			return nil, err
		}
		p := &t.pieces[n]
		tid := t.owner(p.step.Thread)
		next := 0 // of the accesses
		k := uint64(0)
		if start > p.base {
			k = start - p.base
			next, _ = slices.BinarySearchFunc(x.accesses, uint32(k), func(a access, tick uint32) int { return int(a.tick) - int(tick) })
		}
		for ; k < p.ticks; k++ {
			if p.base+k > start && !x.continues(k) && !x.flush && slices.Contains(h.Breaks, x.pcs[k]) {
				t.at, t.current = p.base+k, tid
				return &debugger.Stop{Why: debugger.AtBreak}, nil
			}
			for ; next < len(x.accesses) && uint64(x.accesses[next].tick) == k; next++ {
				if w := h.watched(&x.accesses[next]); w >= 0 {
					t.at, t.current = p.base+k+1, tid
					return &debugger.Stop{Why: debugger.AtWatch, Watch: w}, nil
				}
			}
			if tid == h.step && !x.flush && x.completes(k) && (k+1 == p.ticks || !h.within(x.pcs[k+1])) {
				t.at, t.current = p.base+k+1, tid
				return &debugger.Stop{Why: debugger.AtStep}, nil
			}
		}
	}
	t.stand(t.total)
	if t.bug != nil {
		if tid, ok := t.s.Guest.Lookup(t.bug.Thread); ok {
			t.current = tid
		}
	}
	return &debugger.Stop{Why: debugger.AtEnd}, nil
}

// back looks from the present moment towards the beginning. The current thread is the one
// that makes the tick at which is stopped.
func (t *Travel) back(h *hunt) (*debugger.Stop, error) {
	n := t.pieceAt(t.at)
	if n == len(t.pieces) || t.pieces[n].base == t.at {
		n--
	}
	for ; n >= 0; n-- {
		p := &t.pieces[n]
		if t.interrupted.Load() {
			t.stand(min(t.at, p.base+p.ticks))
			return &debugger.Stop{Why: debugger.Interrupted}, nil
		}
		x, err := t.trail(n)
		if err != nil {
			return nil, err
		}
		tid := t.owner(p.step.Thread)
		k := min(p.ticks, t.at-p.base)
		last := len(x.accesses) - 1
		for k > 0 {
			k--
			for ; last >= 0 && uint64(x.accesses[last].tick) >= k; last-- {
				if uint64(x.accesses[last].tick) > k {
					continue // later than the present moment
				}
				if w := h.watched(&x.accesses[last]); w >= 0 {
					t.at, t.current = p.base+k, tid
					return &debugger.Stop{Why: debugger.AtWatch, Watch: w}, nil
				}
			}
			if x.continues(k) || x.flush {
				continue
			}
			if slices.Contains(h.Breaks, x.pcs[k]) {
				t.at, t.current = p.base+k, tid
				return &debugger.Stop{Why: debugger.AtBreak}, nil
			}
			if tid == h.step && !h.within(x.pcs[k]) {
				t.at, t.current = p.base+k, tid
				return &debugger.Stop{Why: debugger.AtStep}, nil
			}
		}
	}
	t.stand(0)
	return &debugger.Stop{Why: debugger.AtBegin}, nil
}
