package cause

import (
	"fmt"
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// A run that fails against one that passes and differs in little. What threads do depends on the
// values that they find. So the runs are alike up to the first two events that come in the other
// order.

// event is an access, a lock that was taken, or a block's end, of a run.
type event struct {
	eventKey
	at         at
	op         *trace.Op // nil: it is an access
	addr, size uint64
	writes     bool
}

// eventKey is the same for an event in both runs.
type eventKey struct {
	thread string
	pc     uint64
	addr   uint64
	writes bool
	nth    int
}

// maxEvents bounds the runs that are compared.
const maxEvents = 50_000

// events lists what a run did that another order could have changed.
func (cs *Case) events() (list []event) {
	count := map[eventKey]int{}
	add := func(e event, t trace.TID, pc uint64) {
		e.eventKey = eventKey{thread: cs.guest.Name(t), pc: pc, addr: e.addr, writes: e.writes}
		count[e.eventKey]++
		e.nth = count[e.eventKey]
		list = append(list, e)
	}
	for i := range cs.Beats {
		b := &cs.Beats[i]
		for k := range b.Ops {
			o := &b.Ops[k]
			size := uint64(1)
			switch {
			case o.Kind == trace.OpFree:
				size = uint64(o.Size)
			case !record.Takes(o) && o.Kind != trace.OpSemWait && o.Kind != trace.OpSemTryWait:
				continue
			}
			add(event{at: at{Beat: i}, op: o, addr: o.Obj, size: size, writes: true}, b.Step.Thread, o.PC)
		}
		for k := range b.Accesses {
			a := &b.Accesses[k]
			if a.Addr >= record.LowestVariable && !cs.IsBuffered(i, k) { // what is in a buffer isn't written yet
				add(event{at: at{Beat: i, Access: k}, addr: a.Addr, size: uint64(a.Size), writes: a.IsWrite()}, b.MadeBy(k), a.PC)
			}
		}
	}
	return list
}

// clash reports whether the order of two events of different threads can matter. A lock
// and an access to its bytes are told by the lock.
func (e *event) clash(o *event) bool {
	if trace.OwnerName(e.thread) == trace.OwnerName(o.thread) || !e.writes && !o.writes || e.addr >= o.addr+o.size || o.addr >= e.addr+e.size {
		return false
	}
	locks := func(x *event) bool { return x.op != nil && x.op.Kind != trace.OpFree }
	return locks(e) == locks(o)
}

// overlaps reports whether an event is of some of an access's bytes.
func (e *event) overlaps(a *trace.Access) bool {
	return e.addr < a.Addr+uint64(a.Size) && a.Addr < e.addr+e.size
}

// Pair is a run that fails beside one that passes and differs in little.
type Pair struct {
	*Case
	passes *Case
	// Text says what comes the other way round in the run that passes, or is "". Differs are the
	// events of the run that fails which it describes.
	Text    string
	Differs []result.Moment
	flip    *flip
	flips   []flip // pairs of accesses that come the other way round
}

// Against compares a run that fails with one that passes.
func (cs *Case) Against(passes *Case) *Pair {
	pr := &Pair{Case: cs, passes: passes}
	pr.compare()
	return pr
}

// compare finds the first two events that come the other way round.
func (pr *Pair) compare() {
	mine, its := pr.events(), pr.passes.events()
	if len(mine) > maxEvents || len(its) > maxEvents {
		return
	}
	when := map[eventKey]int{} // in this run, from 1
	for i := range mine {
		when[mine[i].eventKey] = i + 1
	}
	before := map[uint64][]int{} // the other run's events so far, by page
	const page = 12
	best, about := [2]int{-1, -1}, false
	for i := range its {
		late := &its[i]
		at := when[late.eventKey]
		for p := late.addr >> page; at > 0 && p <= (late.addr+late.size-1)>>page; p++ {
			for _, j := range before[p] {
				early := &its[j]
				if n := when[early.eventKey]; n > 0 && n < at || !late.clash(early) {
					continue
				}
				if len(pr.flips) < maxFlips && early.op == nil && late.op == nil && early.writes && !late.writes {
					pr.flips = append(pr.flips, *pr.flipOf(early, late, mine[at-1].at))
				}
				// In this run the one that is late there comes first.
				of := pr.hit != nil && early.overlaps(pr.AccessAt(pr.hit.mid)) // the accesses of the cause
				if best[0] < 0 || of && !about || of == about && at < when[its[best[0]].eventKey] {
					if pr.passes.eventPlace(early) != "" && pr.passes.eventPlace(late) != "" {
						best, about = [2]int{i, j}, of
					}
				}
			}
		}
		for p := late.addr >> page; p <= (late.addr+late.size-1)>>page; p++ {
			before[p] = append(before[p], i)
		}
	}
	if best[0] < 0 {
		return
	}
	early, late := &its[best[1]], &its[best[0]]
	pr.flip = pr.flipOf(early, late, mine[when[late.eventKey]-1].at)
	pr.Differs = []result.Moment{pr.moment(&mine[when[late.eventKey]-1])}
	if n := when[early.eventKey]; n > 0 {
		pr.Differs = append(pr.Differs, pr.moment(&mine[n-1]))
	}
	theirs, other := pr.passes.does(early), pr.passes.does(late)
	verb, object, _ := strings.Cut(other, " ")
	switch _, same, _ := strings.Cut(theirs, " "); {
	case other == theirs:
		other = "does"
	case same == object:
		other = verb + " it"
	}
	pr.Text = fmt.Sprintf("In a run that passes, thread %s %s (%s) before thread %s %s (%s); here thread %s comes first.",
		trace.OwnerName(early.thread), theirs, pr.passes.eventPlace(early), trace.OwnerName(late.thread), other, pr.passes.eventPlace(late), trace.OwnerName(late.thread))
}

// moment is an event of this run.
func (cs *Case) moment(e *event) result.Moment {
	m := result.Moment{Thread: trace.OwnerName(e.thread), Does: cs.does(e), Step: e.at.Beat + 1}
	if e.op == nil {
		m.Access = e.at.Access + 1
	}
	return m
}

// maxFlips is how many pairs of accesses that come the other way round are looked at.
const maxFlips = 64

// flipOf describes two events of a run that passes which come in the other order here. The late
// one comes first here.
func (pr *Pair) flipOf(early, late *event, first at) *flip {
	f := &flip{early: *early, late: *late, first: first, earlyIs: pr.passes.eventPlace(early), here: pr.passes.eventPlace(late),
		thread: pr.passes.madeAt(early), other: pr.passes.madeAt(late)}
	if early.op == nil {
		f.earlyHeld = pr.passes.Held(early.at)
		f.earlyRead = pr.passes.ReadHeld(f.thread, early.at)
		f.final = pr.passes.final(early)
	}
	return f
}

// final says whether an event's thread writes an address no more after it.
func (cs *Case) final(e *event) func(addr uint64) bool {
	t := cs.madeAt(e)
	return func(addr uint64) bool {
		for _, a := range cs.Forward(t, e.at) {
			if a.IsWrite() && a.Addr == addr {
				return false
			}
		}
		return true
	}
}

// madeAt is the thread that made an event.
func (cs *Case) madeAt(e *event) trace.TID {
	if e.op != nil {
		return cs.Beats[e.at.Beat].Step.Thread
	}
	return cs.Beats[e.at.Beat].MadeBy(e.at.Access)
}

// does is an event in words.
func (cs *Case) does(e *event) string {
	if e.op != nil && e.op.Kind == trace.OpFree && e.op.Arg != trace.Returns {
		return "frees the block"
	}
	if e.op != nil {
		return cs.Named(cs.guest.OpText(*e.op))
	}
	a := cs.Shown(e.at)
	return a.Op + " " + a.Name()
}

// eventPlace is where the user's code makes an event, "" if it doesn't.
func (cs *Case) eventPlace(e *event) string {
	var f result.Frame
	if e.op != nil {
		f = cs.Caller(call{Beat: e.at.Beat, Op: e.op})
	} else {
		a := cs.Shown(e.at)
		if a.Bookkeeping {
			return ""
		}
		f = result.Innermost(a.Stack)
	}
	if f.File == "" || f.Library {
		return ""
	}
	return f.Where()
}

// flip is two events that come the other way round in a run that passes.
type flip struct {
	early, late   event // as in that run
	first         at    // the late one's place here
	earlyHeld     []string
	earlyRead     []uint64 // locks that it holds for reading
	earlyIs, here string   // the places of the early one, and of the late one here
	thread, other trace.TID
	final         func(addr uint64) bool // the early one's thread writes it no more after that
}
