package por

import (
	"errors"
)

// Units that are worked on away: in other processes, on other machines.
//
// At the beginning of a batch its units are offered in *parts*, a few units in a row
// each, as bytes (awaytree.go, awayothers.go). The search's own workers take units from
// the front of the batch, those away take parts from its end. A part's results come back
// as bytes, unit by unit. The first that has done a unit counts, and no worker here waits
// for one away: what isn't back is done here. So a part that is lost, or comes twice, or
// too late, costs time and changes nothing.
//
// A unit's results are functions of the unit (batch.go), so it is all the same which
// machine works on it. Only a unit that rests at its limit is taken from away. One that
// ends the search (it has seen enough, has learned, has failed) is done again here,
// where what it has learned or met is wanted.

// Away has parts of batches worked on elsewhere.
type Away interface {
	// Offer is called at the beginning of a batch, with its parts in their order. The
	// last ones are to be done first. done has to be called with a part's place and
	// what WorkAway made of it, from any goroutine, until Over returns.
	Offer(parts [][]byte, done func(part int, result []byte))
	// Over says that what of the batch isn't back isn't wanted any more.
	Over()
	// Seen reads what an observer away has seen of a unit: for Crew.Keep.
	Seen(text []byte) (any, error)
}

// awayUnits is how many units a part has: as many as take a while against the way there and back,
// and not more, because a batch has few long units. A batch with fewer than two parts isn't
// offered.
const awayUnits = 4

// partVersion is that of the bytes of a part and of its result.
const partVersion = snapshotVersion<<8 | 1

// ErrPart is a part that can't be read.
var ErrPart = errors.New("the part of a search is damaged")

// lends is a division whose units can be worked on away.
type lends interface {
	// part writes some units of the last deal.
	part(p *packer, lo, hi int)
	// take reads the result of unit i, and leaves it there as the unit's own work would.
	take(i int, u *unpacker) bool
}

// borrowed are units of a part, in the process that works on them.
type borrowed interface {
	// lentUnits are those of the part.
	lentUnits() []unit
	// result writes what the k-th reached.
	result(p *packer, k int)
}

// unitsOf are a division's units.
func unitsOf[U unit](list []U) []unit {
	all := make([]unit, len(list))
	for i, u := range list {
		all[i] = u
	}
	return all
}

// awayParts are the parts of a batch.
type awayParts struct {
	of    lends
	lo    []int // the first unit of each
	total int
}

// lend offers a batch's units. over, if not nil, is to be called when it has ended.
func (b *batch) lend(d division, opts *Options) (over func()) {
	l, able := d.(lends)
	each := awayUnits
	if opts.partUnits > 0 {
		each = opts.partUnits
	}
	if opts.Away == nil || !able || len(b.units) < 2*each {
		return nil
	}
	a := awayParts{of: l, total: len(b.units)}
	var parts [][]byte
	for lo := 0; lo < a.total; lo += each {
		hi := min(lo+each, a.total)
		p := &packer{ids: map[*branch]uint64{}}
		p.put(partVersion, uint64(a.total), uint64(lo), uint64(hi-lo))
		l.part(p, lo, hi)
		if p.failed != nil {
			return nil // parts that can't be packed are done here
		}
		a.lo = append(a.lo, lo)
		parts = append(parts, p.buf)
	}
	opts.Away.Offer(parts, func(part int, text []byte) { b.takeBack(&a, part, text, opts.Away) })
	return opts.Away.Over
}

// takeBack takes the outcome of a part, as far as its units weren't begun here.
func (b *batch) takeBack(a *awayParts, part int, text []byte, away Away) {
	if part < 0 || part >= len(a.lo) {
		return
	}
	u := &unpacker{buf: text}
	if u.get() != partVersion {
		return
	}
	for i, n := a.lo[part], u.length(); n > 0 && i < a.total; i, n = i+1, n-1 {
		result, seen := u.bytes(), u.bytes()
		if u.bad {
			return
		}
		known, err := away.Seen(seen)
		if err != nil {
			return
		}
		b.mu.Lock()
		if !b.begun[i] && !b.over && int64(i) < b.limit.Load() {
			r := &unpacker{buf: result}
			if !a.of.take(i, r) || r.bad || len(r.buf) > 0 {
				b.mu.Unlock()
				return
			}
			b.begun[i] = true
			b.done[i] = done{seen: known}
		}
		b.mu.Unlock()
	}
}

// WorkAway works on a part of a search. opts are those of the search, except for Stop,
// which is the worker's own. w's observer sees the executions, and seen writes what it
// has seen. spent: the worker's System knows more now than the search's, or has failed,
// and is of no use for another part.
func WorkAway(search string, opts Options, w Worker, part []byte, seen func(any) ([]byte, error)) (result []byte, spent bool, err error) {
	spec, err := ParseSpec(search)
	if err != nil {
		return nil, false, err
	}
	u := &unpacker{buf: part}
	version, total, lo, n := u.get(), u.below(1<<20), u.below(1<<20), u.below(1<<20)
	if u.bad || version != partVersion || n == 0 || lo+n > total {
		return nil, false, ErrPart
	}
	opts.Crew, opts.Away, opts.SaveNow, opts.Save, opts.Resume = nil, nil, nil, nil, nil
	var all borrowed
	switch {
	case spec.Whole() != "":
		return nil, false, ErrPart
	case spec.kind.lent != nil:
		all = spec.kind.lent(spec, opts, w, u, int(n))
	default:
		all = borrowTree(spec, opts, w, u, int(n))
	}
	if all == nil || u.bad || len(u.buf) > 0 {
		return nil, false, ErrPart
	}
	b := &batch{workers: []Worker{w}, units: make([]unit, total), stop: opts.Stop}
	b.limit.Store(int64(total))
	var ends [][2][]byte
	for k, one := range all.lentUnits() {
		ending, err := one.work(0, int(lo)+k, b)
		var saw any
		if w.Seen != nil {
			saw = w.Seen()
		}
		if err != nil || ending == learned || ending == failed {
			spent = true
		}
		if err != nil || ending != rests {
			break
		}
		p := &packer{}
		all.result(p, k)
		text, err := seen(saw)
		if err = errors.Join(err, p.failed); err != nil {
			return nil, spent, err
		}
		ends = append(ends, [2][]byte{p.buf, text})
	}
	out := packer{}
	out.put(partVersion)
	putList(&out, ends, func(e *[2][]byte) {
		out.putBytes(e[0])
		out.putBytes(e[1])
	})
	return out.buf, spent, nil
}
