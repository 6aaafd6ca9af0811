package scheduler

import (
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// Counts that stay above zero, for a search that checks it (por.Counter). They are locked
// instructions that add to memory, whose results are only tested. The flags of a number above
// zero are the same whatever it is, but for its parity (static.Tested); so the thread goes on in
// the same way. The last one that gives a reference back finds less: it doesn't blend.
//
// Which do is a matter of the thread, of the instruction and of the bytes, of nothing that
// another order could change. All are taken to, until one is told apart. All begins again then. So
// that this isn't for each thread and each block in turn, others are given up at once. Where those
// by one instruction of mostBelow threads were told apart, all by it are. Where those of a thread
// to mostBelow places were, all of that thread by it are. So are all by an instruction that has
// found too little each time in an execution.

// tally is an addition of the present path that blends.
type tally struct {
	step  int32 // its index in state.steps
	pc    uint64
	name  uint64
	count trace.Count
}

// Count implements por.Counter.
func (s *System) Count(on bool) {
	s.Blends.tallying = on && s.Blends.on && !s.cfg.Buffers
	s.Unlist()
}

// leastAt is static.Tested, remembered; 0 while nothing is counted.
func (bl *blends) leastAt(pc uint64) int64 {
	if !bl.tallying {
		return 0
	}
	least, ok := bl.leasts[pc]
	if !ok {
		least = static.Tested(bl.in.image.File, pc)
		bl.leasts[pc] = least
	}
	return least
}

// nameBelow names an addition. Two that have one name are told apart together.
func nameBelow(t trace.TID, a *trace.Access) uint64 {
	const prime = 1099511628211
	return ((uint64(t)*prime^a.PC)*prime ^ a.Addr) * prime
}

// mostBelow is how many threads' additions by one instruction are told apart by thread, and how
// many of a thread's by bytes.
const mostBelow = 2

// widerBelow names the additions of a thread by one instruction, or those of all of them: the
// last ones of mostBelow are given up as a whole.
func widerBelow(pc, part, n uint64) uint64 {
	const prime = 0x9e3779b97f4a7c15
	return ((pc*prime^part)*prime ^ n) * prime
}

// allThreads stands for them in a name.
const allThreads = ^uint64(0)

// isBelow reports whether an addition is one of those that don't blend.
func (bl *blends) isBelow(t trace.TID, a *trace.Access) bool {
	below := bl.learning.known.Below
	return below[nameBelow(t, a)] || below[widerBelow(a.PC, uint64(t), mostBelow)] || below[widerBelow(a.PC, allThreads, mostBelow)]
}

// widen counts that an addition was told apart.
func (s *System) widen(k *tally) {
	always, thread := true, uint64(s.steps[k.step].tr.Thread)
	for i := range s.tallies {
		o := &s.tallies[i]
		always = always && (o.pc != k.pc || !o.count.Holds(o.count.Before, o.count.Before))
	}
	note := func(part uint64) (n uint64) {
		for n = 1; n <= mostBelow; n++ {
			if s.known.Below.Add(widerBelow(k.pc, part, n)) && !always {
				break
			}
		}
		return n
	}
	if note(thread) == 1 || always {
		note(allThreads)
	}
}

// count remembers the additions of a step that blend.
func (bl *blends) count(info *stepInfo) {
	for i := range info.tr.Accesses {
		a := &info.tr.Accesses[i]
		if !bl.tallying || a.Blends() != trace.BlendAdd {
			continue
		}
		var values []uint64
		bl.in.machine.Values(info.journal, a.Addr, uint64(a.Size), func(v uint64) { values = append(values, v) })
		signed := func(v uint64) int64 { return int64(v<<(64-8*a.Size)) >> (64 - 8*a.Size) }
		before := values[len(values)-1]
		k := tally{int32(len(bl.in.steps) - 1), a.PC, nameBelow(info.tr.Thread, a),
			trace.Count{Addr: a.Addr, Size: a.Size, Before: signed(before), Added: signed(values[0] - before)}}
		if bl.blends[a.PC] == trace.NoBlend {
			c := &k.count
			c.Least = max(bl.leastAt(a.PC), 1-c.Added)
		}
		bl.in.tallies = append(bl.in.tallies, k)
	}
}

// Counts implements por.Counter.
func (s *state) Counts(f func(back int, c *trace.Count)) {
	for i := len(s.tallies) - 1; i >= 0; i-- {
		f(len(s.steps)-1-int(s.tallies[i].step), &s.tallies[i].count)
	}
}

// Uncount implements por.Counter.
func (s *System) Uncount(back int) {
	for i := range s.tallies {
		if k := &s.tallies[i]; int(k.step) == len(s.steps)-1-back && k.count.Least > 0 && s.known.Below.Add(k.name) {
			s.widen(k)
			s.learned++
		}
	}
	s.Unlist()
}
