package trust

import (
	"math"

	"landgo/internal/trace"
)

// A walk at rest as numbers: its steps and what they displaced, what is held, and its
// estimate.

// Write writes p.
func (p *Rest) Write(to Writer) {
	to.Put(uint64(p.floor), uint64(p.nested))
	writeBool(to, p.Done)
	writeList(to, p.steps, func(e *restEvent) {
		to.Put(uint64(e.thread), uint64(e.choice), e.last, uint64(e.added), uint64(e.group), uint64(e.redo+1))
		writeBool(to, e.marked)
		if e.added == revisits {
			to.PutStep(&e.displaced.Step)
		}
		writeHeld(to, e.held)
	})
	writeHeld(to, p.top)
	writeBool(to, p.marked)
	p.estimate.write(to)
}

// Read reads what Write wrote. It is of no use if from refuses.
func Read(from Reader) *Rest {
	p := &Rest{floor: readNumber(from), nested: readNumber(from), Done: readBool(from)}
	p.steps = readList(from, func() restEvent {
		e := restEvent{thread: trace.TID(from.Below(mostThreads)), choice: trace.Choice(from.Below(1 << 32)), last: from.Get(), added: origin(from.Below(uint64(revisits) + 1)),
			group: int32(readNumber(from)), redo: int32(readNumber(from)) - 1, marked: readBool(from)}
		if e.added == revisits {
			e.displaced = readDeed(from)
		}
		e.held = readHeld(from)
		return e
	})
	p.top, p.marked = readHeld(from), readBool(from)
	p.estimate.read(from)
	return p
}

// mostThreads is more than any number of threads.
const mostThreads = 1 << 20

func (s *graphEstimate) write(to Writer) {
	writeFloats(to, s.done, s.untrackedWeight)
	to.Put(uint64(s.untracked))
	writeList(to, s.descents, func(d *descent) {
		writeFloats(to, d.before, d.weight)
		to.Put(uint64(d.floor+1), uint64(d.effort))
		writeList(to, d.graphs, func(j *graphWeight) {
			writeFloats(to, j.before, j.weight, j.size, j.stay)
			writeBool(to, j.known)
			to.Put(uint64(j.next))
			writeList(to, j.revisits, func(q *revisitWeight) {
				to.Put(uint64(q.r))
				writeFloats(to, q.size)
			})
		})
	})
}

func (s *graphEstimate) read(from Reader) {
	s.done, s.untrackedWeight, s.untracked = readFloat(from), readFloat(from), readNumber(from)
	s.descents = readList(from, func() descent {
		d := descent{before: readFloat(from), weight: readFloat(from), floor: readNumber(from) - 1, effort: int(from.Below(mostEffort + 1))}
		d.graphs = readList(from, func() graphWeight {
			j := graphWeight{before: readFloat(from), weight: readFloat(from), size: readFloat(from), stay: readFloat(from), known: readBool(from), next: readNumber(from)}
			j.revisits = readList(from, func() revisitWeight { return revisitWeight{int32(readNumber(from)), readFloat(from)} })
			if j.size <= 0 && len(j.revisits) > 0 {
				from.Refuse()
			}
			return j
		})
		if len(d.graphs) == 0 && d.floor >= 0 || len(d.graphs) > 0 && !d.graphs[0].known {
			from.Refuse()
		}
		return d
	})
}

func writeHeld(to Writer, held []*deed) {
	writeList(to, held, func(d **deed) { to.PutStep(&(*d).Step) })
}

func readHeld(from Reader) []*deed {
	return readList(from, func() *deed { return readDeed(from) })
}

func readDeed(from Reader) *deed { return &deed{Step: from.Step()} }

func writeFloats(to Writer, all ...float64) {
	for _, f := range all {
		to.Put(math.Float64bits(f))
	}
}

func readFloat(from Reader) float64 { return math.Float64frombits(from.Get()) }

func writeBool(to Writer, b bool) {
	v := uint64(0)
	if b {
		v = 1
	}
	to.Put(v)
}

func readBool(from Reader) bool { return from.Below(2) == 1 }

// readNumber reads one that fits 31 bits.
func readNumber(from Reader) int { return int(from.Below(1 << 31)) }

func writeList[T any](to Writer, list []T, write func(*T)) {
	to.Put(uint64(len(list)))
	for i := range list {
		write(&list[i])
	}
}

func readList[T any](from Reader, read func() T) (list []T) {
	for n := from.Length(); n > 0 && !from.Refused(); n-- {
		list = append(list, read())
	}
	return list
}
