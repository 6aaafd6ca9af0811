package por

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A search that is divided goes in laps: so many parts of it, in an order, are
// worked on by whichever worker is free, each alone and for a limited time in
// steps; when all are done, what they came to is put together in that order,
// and the next lap is made of what is left. Nothing depends on who worked on
// what or how fast: the parts, their limits and their order are functions of
// the search so far. So every count, the bug shown and the schedules are the
// same for any number of workers, one included.
//
// A lap ends early where a part ends the search (it met a bug, learned of finer
// points, failed): of several the first in the order counts, what comes after
// it is thrown away, and what comes before is done in full.

// division is a search as laps see it.
type division interface {
	// deal returns the parts of the next lap in their order, none if nothing is
	// left.
	deal() ([]part, error)
	// count adds what part i of the last deal has run to the search's counts. It
	// is called for each part that counts, in order.
	count(i int)
	// merge takes over what all parts of the last deal came to.
	merge() error
	// progress is how far the search is.
	progress() Progress
	// pack is the search as plain bytes, between two laps.
	pack() ([]byte, error)
}

// part is a piece of work for one worker and one lap.
type part interface {
	// work is called once, from a goroutine of worker w's, of part i of the lap.
	// It polls l.unwanted every few hundred steps, and gives up if that says so.
	work(w, i int, l *lap) (ending, error)
}

// ending says why work on a part ended.
type ending uint8

const (
	rests   ending = iota // its limit came, or nothing is left of it
	enough                // the observer has seen enough
	learned               // points became finer
	failed
	gaveUp // unwanted
)

// lapParts is how many parts a lap has at the most: more than a machine has
// cores for the most part, and a number that many divide.
const lapParts = 96

// stint is the number of steps after which part i of n, whose way is so deep,
// rests: enough that coming to where it goes on costs little beside it. It is less
// the fewer parts come after: no worker then waits long for the last one, and a
// search with few parts soon has more.
func (o *Options) stint(depth, i, n int) uint64 {
	const ease = 16
	whole, least := uint64(1<<14), 16*uint64(depth)
	if o.Stint > 0 {
		whole, least = o.Stint, (o.Stint+1)/2
	}
	return max(whole*uint64(min(ease, n-i))/ease, least)
}

// lap is one lap under way.
type lap struct {
	workers []Worker
	parts   []part
	stop    func() bool // Options.Stop

	mu     sync.Mutex
	polls  sync.Mutex
	next   int
	done   []done
	limit  atomic.Int64 // parts from here on aren't wanted
	halted atomic.Bool  // stop said so
	fault  string       // a panic
}

// done is what became of a part.
type done struct {
	ending ending
	err    error
	worker int
	seen   any
}

// run works on all parts, and returns what became of those that count.
func (l *lap) run() []done {
	l.done = make([]done, len(l.parts))
	l.limit.Store(int64(len(l.parts)))
	if len(l.workers) == 1 || len(l.parts) == 1 {
		l.serve(0)
	} else {
		var all sync.WaitGroup
		for w := range min(len(l.workers), len(l.parts)) {
			all.Add(1)
			go func() {
				defer all.Done()
				defer func() {
					if r := recover(); r != nil {
						l.mu.Lock()
						l.fault = fmt.Sprintf("%v\n%s", r, debug.Stack())
						l.mu.Unlock()
						l.halted.Store(true)
					}
				}()
				l.serve(w)
			}()
		}
		all.Wait()
	}
	if l.fault != "" {
		panic(l.fault)
	}
	return l.done[:min(l.next, int(l.limit.Load()))]
}

// serve has worker w work on one part after another.
func (l *lap) serve(w int) {
	for {
		l.mu.Lock()
		i := l.next
		if i >= int(l.limit.Load()) || l.halted.Load() {
			l.mu.Unlock()
			return
		}
		l.next++
		l.mu.Unlock()
		d := done{worker: w}
		d.ending, d.err = l.parts[i].work(w, i, l)
		if d.err != nil {
			d.ending = failed
		}
		if seen := l.workers[w].Seen; seen != nil {
			d.seen = seen()
		}
		l.done[i] = d
		if d.ending == enough || d.ending == learned || d.ending == failed {
			l.mu.Lock()
			l.limit.Store(min(l.limit.Load(), int64(i)+1))
			l.mu.Unlock()
		}
	}
}

// unwanted reports whether part i needn't be gone on with.
func (l *lap) unwanted(i int) bool {
	if l.stop != nil && !l.halted.Load() && l.polls.TryLock() {
		if l.stop() {
			l.halted.Store(true)
		}
		l.polls.Unlock()
	}
	return l.halted.Load() || int64(i) >= l.limit.Load()
}

// divide makes a division's search, lap after lap. It returns why that ended
// (rests: nothing is left), and which worker's part ended it.
func divide(d division, workers []Worker, opts *Options, obs Observer) (end ending, worker int, err error) {
	for {
		parts, err := d.deal()
		if err != nil || len(parts) == 0 {
			return rests, 0, err
		}
		l := &lap{workers: workers, parts: parts, stop: opts.Stop}
		all := l.run()
		for i := range all {
			d.count(i)
			if opts.Crew != nil {
				opts.Crew.Keep(all[i].seen)
			}
		}
		if l.halted.Load() {
			return gaveUp, 0, nil
		}
		if last := all[len(all)-1]; last.ending != rests {
			return last.ending, last.worker, last.err
		}
		if err := d.merge(); err != nil {
			return failed, 0, err
		}
		obs.Progress(d.progress())
		if opts.Stop != nil && opts.Stop() {
			return gaveUp, 0, nil
		}
		if opts.SaveNow != nil && opts.SaveNow() {
			if err := opts.save(d.pack()); err != nil {
				return failed, 0, err
			}
		}
	}
}

// save has a search saved, unless it couldn't be packed.
func (o *Options) save(state []byte, err error) error {
	if err != nil {
		return err
	}
	return o.Save(state)
}

// add adds the counts of a part.
func (s *Stats) add(o Stats) {
	s.Executions += o.Executions
	s.Blocked += o.Blocked
	s.Pruned += o.Pruned
	s.Transitions += o.Transitions
	s.Replayed += o.Replayed
}
