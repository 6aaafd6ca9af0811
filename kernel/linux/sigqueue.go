package linux

import (
	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// Signals that wait until a thread takes them, with what they carry (struct sigqueue in
// Linux). A real-time signal waits as often as it was sent, and the first that was sent is
// taken first. Any other waits once, with what the first of them carries.

// backlog lists the signals that wait for a thread, or for the process, beside the set of numbers. An
// entry says more than its number does: how often a real-time signal was sent, or another
// sender than the usual one (sentBy).
type backlog struct {
	at   uint64 // the address of its words: the set's
	n    effect.Word
	list []*queued // the first n count; grows only
}

// queued is a signal that waits.
type queued struct{ sig, code, addr, value effect.Word }

func newBacklog(at uint64) *backlog { return &backlog{at: at, n: effect.At(at, 0)} }

// fromProcess marks the code of a signal that was sent to the process.
const fromProcess = 1 << 32

func (q *queued) put(l *effect.Log, sig uint64, i info) {
	code := uint64(uint32(i.code))
	if i.shared {
		code |= fromProcess
	}
	l.Set(&q.sig, sig)
	l.Set(&q.code, code)
	l.Set(&q.addr, i.addr)
	l.Set(&q.value, i.value)
}

func (q *queued) get(l *effect.Log) info {
	code := l.Get(&q.code)
	return info{code: int32(code), addr: l.Get(&q.addr), value: l.Get(&q.value), shared: code&fromProcess != 0}
}

// add has a signal wait behind the others.
func (b *backlog) add(l *effect.Log, sig uint64, i info) {
	n := l.Get(&b.n)
	if n == uint64(len(b.list)) {
		w := effect.At(b.at, 0)
		b.list = append(b.list, &queued{w, w, w, w})
	}
	b.list[n].put(l, sig, i)
	l.Set(&b.n, n+1)
}

// remove takes the first entry of a signal out. more: there is another one.
func (b *backlog) remove(l *effect.Log, sig uint64) (i info, found, more bool) {
	n := l.Get(&b.n)
	for at := uint64(0); at < n; at++ {
		q := b.list[at]
		switch {
		case l.Get(&q.sig) != sig:
			if found {
				b.list[at-1].put(l, q.sig.Peek(), q.get(l))
			}
		case !found:
			i, found = q.get(l), true
		default:
			more = true
			b.list[at-1].put(l, sig, q.get(l))
		}
	}
	if found {
		b.list[n-1].put(l, 0, info{}) // equal states have equal words
		l.Set(&b.n, n-1)
	}
	return i, found, more
}

// ofTimer reports whether a signal of a timer waits.
func (b *backlog) ofTimer(sig, timer uint64) bool {
	for _, q := range b.list[:b.n.Peek()] {
		if q.sig.Peek() == sig && int32(q.code.Peek()) == siTimer && q.addr.Peek() == timer {
			return true
		}
	}
	return false
}

// keep has a signal wait for its thread, or for the process.
func (s *signals) keep(to *target, process bool) {
	set, list, usual := &s.pending, s.backlog, sentBy(process)
	if !process {
		set, list = &to.t.sent, to.t.backlog
	}
	was := s.log.Get(set)
	s.log.Set(set, was|bit(to.sig))
	if again := was&bit(to.sig) != 0; s.isRealTime(to.sig) || to.sig >= firstRealTime && to.info.code == siTimer || !again && to.info != usual {
		list.add(s.log, to.sig, to.info)
	}
	s.objects.tellSignal(to.sig)
}

// take removes a signal from those that wait for a thread, or for the process.
func (s *signals) take(t *thread, sig uint64) info {
	set, list, usual := &t.sent, t.backlog, sentBy(false)
	if s.log.Get(set)&bit(sig) == 0 {
		set, list, usual = &s.pending, s.backlog, sentBy(true)
	}
	i, found, more := list.remove(s.log, sig)
	if !found {
		i = usual
	}
	if !more {
		s.log.Set(set, s.log.Get(set)&^bit(sig))
	}
	return i
}

// discard forgets a signal that waits for the process or for any thread, since it
// is ignored from now on. That none waits is looked at too: a sigwait that takes one
// before isn't one that comes after.
func (s *signals) discard(sig uint64) {
	drop := func(set *effect.Word, list *backlog) {
		if kept := s.log.Get(set); kept&bit(sig) != 0 {
			s.log.Set(set, kept&^bit(sig))
			for more := true; more; {
				_, _, more = list.remove(s.log, sig)
			}
		}
	}
	s.log.Get(&s.roster.list)
	for _, t := range s.roster.threads {
		if t != nil && s.log.Get(&t.alive) != 0 {
			if t != s.now.call.t && s.onTheirWay(t)&bit(sig) != 0 {
				s.now.call.op(trace.Op{Kind: trace.OpCancel, Obj: uint64(t.id), Arg: trace.PassedOver | sig})
			}
			drop(&t.sent, t.backlog)
		}
	}
	drop(&s.pending, s.backlog)
}
