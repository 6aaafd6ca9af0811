package por

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A divided search goes in batches of work units. The units of a batch have an
// order; free workers take them, and each works alone and for a limited number of
// steps. When all are done, their results are merged in that order, and the next
// batch is made of what is left. The units, their limits and their order are
// functions of the search so far, and don't depend on which worker took what or how
// fast. So every count, the bug shown and the schedules are the same for any number
// of workers, one included.
//
// A batch ends early where a unit ends the search (it met a bug, learned of finer
// points, failed). If there are several such units, the first in the order counts: what comes
// after it is thrown away, what comes before is done in full.

// division is a search as batches see it.
type division interface {
	// deal returns the units of the next batch in their order, none if nothing is
	// left.
	deal() ([]unit, error)
	// count adds what unit i of the last deal has run to the search's counts. It
	// is called for each unit that counts, in order.
	count(i int)
	// merge takes over what all units of the last deal reached.
	merge() error
	// progress is how far the search is.
	progress() Progress
	// pack is the search as plain bytes, between two batches.
	pack() ([]byte, error)
}

// unit is a piece of work for one worker and one batch.
type unit interface {
	// work is called once, from a goroutine of worker w's, of unit i of the batch.
	// It polls b.unwanted every few hundred steps, and gives up if that says so.
	work(w, i int, b *batch) (unitEnding, error)
}

// unitEnding says why work on a unit ended.
type unitEnding uint8

const (
	rests   unitEnding = iota // its limit came, or nothing is left of it
	enough                    // the observer has seen enough
	learned                   // points became finer
	failed
	gaveUp // unwanted
)

// endUnit says how the walk has ended a unit; finer: by learning of finer points.
func (b *budget) endUnit(finer bool, err error) (unitEnding, error) {
	b.batch = nil
	switch {
	case err != nil:
		return failed, err
	case finer:
		return learned, nil
	case b.stopped:
		return enough, nil
	case b.halted:
		return gaveUp, nil
	}
	return rests, nil
}

// batchUnits is the most units of a batch: more than most machines have cores,
// and a number that many divide.
const batchUnits = 96

func (o *Options) room() int { return cmp.Or(o.batchUnits, batchUnits) }

// unitSteps is the number of steps after which unit i of n rests, if the path to
// where it goes on is so deep: coming there again then costs little. It is less
// for the last units: no worker then waits long for another, and a search with few
// units soon has more.
func (o *Options) unitSteps(depth, i, n int) uint64 {
	const ease = 16
	whole, least := uint64(1<<14), 16*uint64(depth)
	if o.UnitSteps > 0 {
		whole, least = o.UnitSteps, (o.UnitSteps+1)/2
	}
	return max(whole*uint64(min(ease, n-i))/ease, least)
}

// batch is one batch under way.
type batch struct {
	workers []Worker
	units   []unit
	stop    func() bool // Options.Stop

	mu     sync.Mutex
	polls  sync.Mutex
	next   int
	begun  []bool // here, or done away
	over   bool   // results from away come too late now
	done   []done
	limit  atomic.Int64 // units from here on aren't wanted
	halted atomic.Bool  // stop said so
	fault  string       // a panic
}

// done is the result of a unit.
type done struct {
	ending unitEnding
	err    error
	worker int
	seen   any
}

// run works on all units, and returns the results of those that count.
func (b *batch) run(d division, opts *Options) []done {
	b.done, b.begun = make([]done, len(b.units)), make([]bool, len(b.units))
	b.limit.Store(int64(len(b.units)))
	if over := b.lend(d, opts); over != nil {
		defer over()
	}
	if len(b.workers) == 1 || len(b.units) == 1 {
		b.serve(0)
	} else {
		var all sync.WaitGroup
		for w := range min(len(b.workers), len(b.units)) {
			all.Add(1)
			go func() {
				defer all.Done()
				defer func() {
					if r := recover(); r != nil {
						b.mu.Lock()
						b.fault = fmt.Sprintf("%v\n%s", r, debug.Stack())
						b.mu.Unlock()
						b.halted.Store(true)
					}
				}()
				b.serve(w)
			}()
		}
		all.Wait()
	}
	b.mu.Lock()
	b.over = true
	b.mu.Unlock()
	if b.fault != "" {
		panic(b.fault)
	}
	return b.done[:min(b.next, int(b.limit.Load()))]
}

// serve has worker w work on one unit after another.
func (b *batch) serve(w int) {
	for {
		b.mu.Lock()
		for b.next < len(b.units) && b.begun[b.next] {
			b.next++
		}
		i := b.next
		if i >= int(b.limit.Load()) || b.halted.Load() {
			b.mu.Unlock()
			return
		}
		b.begun[i] = true
		b.next++
		b.mu.Unlock()
		d := done{worker: w}
		d.ending, d.err = b.units[i].work(w, i, b)
		if d.err != nil {
			d.ending = failed
		}
		if seen := b.workers[w].Seen; seen != nil {
			d.seen = seen()
		}
		b.done[i] = d
		if d.ending == enough || d.ending == learned || d.ending == failed {
			b.mu.Lock()
			b.limit.Store(min(b.limit.Load(), int64(i)+1))
			b.mu.Unlock()
		}
	}
}

// unwanted reports whether unit i needn't be gone on with.
func (b *batch) unwanted(i int) bool {
	if b.stop != nil && !b.halted.Load() && b.polls.TryLock() {
		if b.stop() {
			b.halted.Store(true)
		}
		b.polls.Unlock()
	}
	return b.halted.Load() || int64(i) >= b.limit.Load()
}

// divide makes a division's search, batch after batch. It returns why that ended;
// rests says that nothing is left. Where a unit learned of finer points it returns
// the System that the Crew, if there is one, gives to begin again with.
func divide(d division, workers []Worker, opts *Options, obs Observer) (end unitEnding, again System, err error) {
	end, worker, err := batches(d, workers, opts, obs)
	switch {
	case opts.Crew == nil:
	case end == failed:
		opts.Crew.Failed(worker)
	case end == learned && err == nil:
		again, err = opts.Crew.Restart(worker)
	}
	return end, again, err
}

// batches is divide; worker is the one whose unit ended the search.
func batches(d division, workers []Worker, opts *Options, obs Observer) (end unitEnding, worker int, err error) {
	for {
		units, err := d.deal()
		if err != nil || len(units) == 0 {
			return rests, 0, err
		}
		b := &batch{workers: workers, units: units, stop: opts.Stop}
		all := b.run(d, opts)
		for i := range all {
			d.count(i)
			if opts.Crew != nil {
				opts.Crew.Keep(all[i].seen)
			}
		}
		if b.halted.Load() {
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
			return gaveUp, 0, opts.saveLast(d.pack)
		}
		if opts.SaveNow != nil && opts.SaveNow() {
			if err := opts.save(d.pack()); err != nil {
				return failed, 0, err
			}
		}
	}
}

// saveLast has a search saved that stops.
func (o *Options) saveLast(pack func() ([]byte, error)) error {
	if o.SaveLast == nil || !o.SaveLast() {
		return nil
	}
	return o.save(pack())
}

// save has a search saved, unless it couldn't be packed.
func (o *Options) save(state []byte, err error) error {
	if err != nil {
		return err
	}
	return o.Save(state)
}

// add adds the counts of a unit.
func (s *Stats) add(o Stats) {
	s.Executions += o.Executions
	s.Assumed += o.Assumed
	s.Blocked += o.Blocked
	s.Pruned += o.Pruned
	s.Transitions += o.Transitions
	s.Replayed += o.Replayed
	s.Longest = max(s.Longest, o.Longest)
	s.Weighed += o.Weighed
}
