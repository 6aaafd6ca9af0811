package por

import "landgo/internal/trace"

// pct is probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and
// Nagarakatte, ASPLOS 2010). Each thread has a random priority, and the ready
// thread of the highest one runs. At d-1 random steps the thread that just ran
// falls below all others. A bug has depth d if d ordering constraints between
// steps suffice for it. A run meets it with a probability of at least 1/(n
// k^(d-1)), for n threads and at most k steps.
//
// Terms: k_1..k_(d-1), the priority change points, are drawn from the steps
// 1..k; after step k_i the thread that made it has priority d-i. Initial
// priorities are above those: a random order of the threads.
//
// Deviations:
//   - n and k aren't given by the user. Threads draw a random number as they
//     appear, which orders any number of them with equal chance. k is the length
//     of the longest of the first pilots runs. These have the change points that
//     the runs before them allow (none in the first) and count as runs. The
//     guarantee is for runs after those, of at most k steps.
//   - A step is landgo's, from one preemption point to the next, and not an
//     instruction.
//   - A run far beyond k steps is taken to be in a loop that waits for a thread
//     of lower priority and isn't an exact spin. From there on the running thread
//     now and then falls below all others. (The paper's §4 lowers the priority of
//     threads that make no progress, by heuristics of its own.)
type pct struct {
	s        *sampling
	depth    int    // d
	longest  int    // k
	run      uint64 // number
	change   []int  // change[i] is k_(i+1)
	priority []int64
	listed   uint64 // trace.Present.Listed at the latest draw
	bottom   int64  // below all priorities, for runs that don't end
}

func newPCT(h handle) strategy {
	s := newSampling(h)
	s.sampler = &pct{s: s, depth: int(h.spec.Param("d"))}
	return s
}

func (p *pct) reset() { p.longest = 0 }

func (p *pct) begin(r uint64) {
	p.run = r
	p.priority = p.priority[:0]
	p.bottom, p.listed = 0, 0
	p.change = p.change[:0]
	for i := 1; i < p.depth && p.longest > 0; i++ {
		p.change = append(p.change, 1+p.s.rand.IntN(p.longest))
	}
}

func (p *pct) pick(*node) trace.TID {
	now := p.s.path.present
	if now.Listed != p.listed {
		p.draw()
	}
	best := trace.NoThread
	for t := range now.Ready.All {
		if best == trace.NoThread || p.priority[t] > p.priority[best] {
			best = t
		}
	}
	return best
}

// draw draws the priorities of threads that have none.
func (p *pct) draw() {
	p.listed = p.s.path.present.Listed
	for i := range p.s.path.threads {
		t := p.s.path.threads[i].ID
		if p.room(t); p.priority[t] == 0 {
			p.priority[t] = int64(p.depth) + p.s.rand.Int64N(1<<62)
		}
	}
}

// room makes room for thread t; priority 0 isn't drawn yet.
func (p *pct) room(t trace.TID) {
	p.priority = atLeast(p.priority, int(t)+1)
}

func (p *pct) ran(i int32) {
	t := p.s.path.event(i).Thread
	p.room(t)
	steps := int(i) + 1
	for k, at := range p.change {
		if at == steps {
			p.priority[t] = int64(p.depth - (k + 1))
		}
	}
	if steps > 2*p.longest+1000 && p.s.rand.IntN(8) == 0 {
		p.bottom--
		p.priority[t] = p.bottom
	}
}

func (p *pct) ended(steps int) {
	if p.run < pilots {
		p.longest = max(p.longest, steps)
	}
}

func (p *pct) taught() int { return p.longest }
func (p *pct) teach(k int) { p.longest = k }
