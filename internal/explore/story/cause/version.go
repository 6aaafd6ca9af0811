package cause

import (
	"fmt"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Numbers of versions, as of a seqlock: a thread makes a number odd, writes the data, and makes the number
// even. A reader has to find the same even number before it reads the data and after it. A run that passes
// shows what the writer does, for here it may not have come to the end.

// version is a number that a thread raises so.
type version struct {
	word     *trace.Access
	writer   trace.TID
	sections []record.Section // in the run that passes, from one write of the number to the next
}

// lookedOnce: a thread reads data of two versions, and fails. It doesn't look at the number after that, or
// goes on with an odd one.
func (pr *Pair) lookedOnce(failed trace.TID) string {
	n := 0
	for last, a := range pr.Backward(failed, pr.End()) {
		if n++; n > mostUses {
			break
		}
		v, ok := pr.passes.raised(a, failed)
		if !ok {
			continue
		}
		if one, two, ok := pr.twoVersions(failed, v, last, pr.End()); ok && pr.RawAt(last)&1 == 0 {
			number, begun := pr.Shown(last), pr.passes.Shown(v.sections[0].Open)
			x, y := pr.Shown(one), pr.Shown(two)
			if !plain(&number, &begun, &x, &y) {
				return ""
			}
			return fmt.Sprintf("Thread %s reads %s (%s) before it reads %s (%s) and %s (%s), and not after that. Meanwhile thread %s changes %s (%s) and the data. Read %s again at the end, and start over if it has changed.",
				number.Thread, number.Name(), where(number.Stack), x.Name(), where(x.Stack), y.Name(), where(y.Stack), begun.Thread, number.Name(), where(begun.Stack), number.Name())
		}
		first := pr.LastOf(failed, last, a)
		if first.Beat < 0 || pr.RawAt(first) != pr.RawAt(last) || pr.RawAt(last)&1 == 0 {
			return ""
		}
		if _, _, ok := pr.twoVersions(failed, v, first, last); !ok {
			return ""
		}
		one, two, begun, done := pr.Shown(first), pr.Shown(last), pr.passes.Shown(v.sections[0].Open), pr.passes.Shown(v.sections[0].Close)
		if !plain(&one, &two, &begun, &done) {
			return ""
		}
		return fmt.Sprintf("Thread %s finds %s the same before it reads the data and after that (%s), but odd: thread %s has begun a change (%s) and isn't done (%s). Start over while it is odd.",
			one.Thread, one.Name(), lines(one, two), begun.Thread, where(begun.Stack), where(done.Stack))
	}
	return ""
}

// raised is the number that an access reads, if another thread raises it around other writes.
func (cs *Case) raised(a *trace.Access, reader trace.TID) (v version, ok bool) {
	if a.IsWrite() || a.Addr < record.LowestVariable {
		return v, false
	}
	v.word = a
	open, raw, made := false, uint64(0), false
	for i := range cs.Beats {
		for k := range cs.Beats[i].Accesses {
			x := at{Beat: i, Access: k}
			w, by := cs.AccessAt(x), cs.Maker(x)
			switch {
			case !w.IsWrite() || cs.Alone(x):
			case w.Addr != a.Addr:
				made = made || open && by == v.writer && w.Addr >= record.LowestVariable
			case by == reader || len(v.sections) > 0 && by != v.writer:
				return v, false
			case !open && cs.RawAt(x)&1 == 1:
				v.writer, open, raw, made = by, true, cs.RawAt(x), false
				v.sections = append(v.sections, record.Section{Open: x, Close: x})
			case open && cs.RawAt(x) == raw+1 && made:
				open, v.sections[len(v.sections)-1].Close = false, x
			default:
				return v, false
			}
		}
	}
	return v, len(v.sections) > 0 && !open
}

// twoVersions are two reads of a thread's between two places. One has older data than the other:
// the writer writes both in the later's version.
func (pr *Pair) twoVersions(t trace.TID, v version, from, to at) (one, two at, ok bool) {
	var reads []at
	for x, a := range pr.Forward(t, from) {
		if x.Before(to) && !a.IsWrite() && a.Addr >= record.LowestVariable && a.Addr != v.word.Addr && len(reads) < mostUses {
			reads = append(reads, x)
		}
	}
	for _, y := range reads {
		n := pr.versionOf(v, y)
		if n == 0 || n > len(v.sections) {
			continue
		}
		for _, x := range reads {
			if pr.versionOf(v, x) < n && pr.passes.WritesIn(v.writer, v.sections[n-1], pr.AccessAt(x)) && result.Innermost(pr.Shown(x).Stack).Function == result.Innermost(pr.Shown(y).Stack).Function {
				if y.Before(x) {
					return y, x, true
				}
				return x, y, true
			}
		}
	}
	return one, two, false
}

// versionOf is the version from which a read has its data: how often the writer has begun by then.
func (cs *Case) versionOf(v version, x at) (n int) {
	from, by, ok := cs.Source(x)
	if !ok || by != v.writer {
		return 0
	}
	for y, a := range cs.Forward(v.writer, at{}) {
		if !y.Before(from) {
			break
		}
		if a.IsWrite() && a.Addr == v.word.Addr && cs.RawAt(y)&1 == 1 {
			n++
		}
	}
	return n
}
