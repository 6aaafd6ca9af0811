package explore

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"landgo/internal/deepen"
	"landgo/internal/explore/session"
	"landgo/scheduler"
)

// A deepening that isn't over soon goes in rounds: up to roundJobs jobs are at work at
// a time, in the order in which the plan deals them. Each has the guest of a free
// worker to itself, for roundSteps steps. When all are done, what they reached is
// folded in, in that order, and the plan deals anew. Which jobs, how many, for how
// long and in which order depends on steps so far alone. So the report is the same for
// any number of workers, one included. (por/batch.go does the same for the parts of
// one search.)
//
// A round ends early where a turn ends everything. It met a bug, a guest that can't
// be controlled, or memory that wasn't known to be shared, so that the steps of all
// jobs become others. If several do, the first in the order counts, what comes after it
// is thrown away, and what comes before is done in full.
//
// The paper's jobs are processes that know of each other's progress at any time
// (Blum and Gibson, OOPSLA 2016, §3.4). Deviation: here it is known between
// rounds, for the sake of the same result every time.

const (
	// roundJobs is how many jobs a round has at the most. It doesn't depend on the
	// number of workers: more than that many are of use where one large search is
	// alone.
	roundJobs = 8
)

var (
	// opening is how many steps of all jobs are run one job at a time. Most guests
	// that teach anything of sharing have done so by then, and most small ones are
	// verified.
	opening uint64 = 500_000
	// roundSteps is how long a turn of a round is: long against what it takes
	// to come back to where a job was left.
	roundSteps uint64 = 1 << 17
	// restless, in tests, has every job left as soon as it can be.
	restless bool
)

// round is one under way.
type round struct {
	d     *deepening
	turns []*turn

	mu     sync.Mutex
	polls  sync.Mutex
	next   int
	limit  atomic.Int64 // turns from here on aren't wanted
	halted atomic.Bool  // the deepening was stopped
	fault  string       // a panic
}

// width is how many jobs may be at work at a time now.
func (d *deepening) width() int {
	if d.steps < d.pace(opening) || d.Config.MaxExecutions > 0 {
		return 1
	}
	return roundJobs
}

// round runs several jobs for one round.
func (d *deepening) round(jobs []*deepen.Job) error {
	d.Guest.Rewind(d.Root)
	d.Guest.Seen().Look(nil)
	known, kept, reached := d.Guest.Knowledge(), d.Guest.Seen().Take(), d.TakeReached()
	r := &round{d: d}
	for i, j := range jobs {
		s := d.turnOf(j)
		s.round, s.index = r, i
		r.turns = append(r.turns, s)
	}
	stands := d.crowd(min(d.Config.Workers(), len(jobs)), known)
	counted := r.run(stands)
	news := false // some guest knows what others don't
	for _, s := range r.turns {
		news = news || s.learned
	}
	if news {
		// The knowledge of turns that don't count can't be taken from them.
		d.dismiss()
		if err := d.Session.Anew(known); err != nil {
			return err
		}
	}
	var err error
	for _, s := range counted {
		if s.learned {
			// Its own steps are void, and so are all others': the epoch is over.
			err = d.Session.Anew(s.known)
			break
		}
		if err = d.fold(s); err != nil {
			break
		}
	}
	for _, s := range counted {
		kept.Add(s.witnessed)
		reached.Add(s.reached)
	}
	d.Guest.Seen().Look(nil)
	d.Guest.Seen().Hear(kept)
	d.CountReached(reached)
	if r.halted.Load() || err != nil {
		return err
	}
	for _, j := range jobs {
		if j.State == deepen.Running && !d.plan.Goes(j, d.left()) {
			d.plan.Suspend(j)
		}
		d.narrow(j)
	}
	d.letRungs()
	d.letWays()
	d.letSamples(nil)
	d.letBounded()
	d.show()
	return nil
}

// crowd is the guests on which a round's jobs are at work, the hunt's own first.
// All know the same. Where there is no room for as many, there are fewer.
func (d *deepening) crowd(n int, known *scheduler.Knowledge) []*session.Session {
	for _, s := range d.stands {
		if _, err := s.Guest.Learn(known); err != nil { // threads were met in another order
			d.dismiss()
			break
		}
	}
	for len(d.stands) < n-1 {
		s, err := d.Another()
		if err == nil {
			_, err = s.Guest.Learn(known)
		}
		if err != nil {
			if s != nil {
				s.Close()
			}
			break
		}
		s.Clock = d.Clock
		s.Guest.Seen().Take()
		d.stands = append(d.stands, s)
	}
	return append([]*session.Session{d.Session}, d.stands[:min(n-1, len(d.stands))]...)
}

// dismiss closes the guests of further workers.
func (d *deepening) dismiss() {
	for _, s := range d.stands {
		s.Close()
	}
	d.stands = nil
}

// run has every turn done that counts, and returns those.
func (r *round) run(stands []*session.Session) []*turn {
	r.limit.Store(int64(len(r.turns)))
	if len(stands) == 1 {
		r.serve(stands[0])
	} else {
		var all sync.WaitGroup
		for _, s := range stands {
			all.Add(1)
			go func() {
				defer all.Done()
				defer func() {
					if v := recover(); v != nil {
						r.mu.Lock()
						r.fault = fmt.Sprintf("%v\n%s", v, debug.Stack())
						r.mu.Unlock()
						r.halted.Store(true)
					}
				}()
				r.serve(s)
			}()
		}
		all.Wait()
	}
	if r.fault != "" {
		panic(r.fault)
	}
	return r.turns[:min(r.next, int(r.limit.Load()))]
}

// serve has one turn after another done on a guest.
func (r *round) serve(stand *session.Session) {
	stand.Guest.Seal(true)
	defer stand.Guest.Seal(false)
	for {
		r.mu.Lock()
		i := r.next
		if i >= int(r.limit.Load()) || r.halted.Load() {
			r.mu.Unlock()
			return
		}
		r.next++
		r.mu.Unlock()
		s := r.turns[i]
		s.Session = stand
		s.work()
		stand.Guest.Rewind(stand.Root)
		stand.Guest.Seen().Look(nil)
		s.witnessed, s.reached = stand.Guest.Seen().Take(), stand.TakeReached()
		if s.learned || s.fatal() || !r.d.Config.KeepGoing && (len(s.found) > 0 || s.watched.Raced) {
			r.mu.Lock()
			r.limit.Store(min(r.limit.Load(), int64(i)+1))
			r.mu.Unlock()
		}
		if s.learned {
			return // this guest's knowledge is another one's business
		}
	}
}

// unwanted reports whether turn i needn't be gone on with.
func (r *round) unwanted(i int) bool {
	if !r.halted.Load() && r.polls.TryLock() {
		if r.d.stop() {
			r.halted.Store(true)
		}
		r.polls.Unlock()
	}
	return r.halted.Load() || int64(i) >= r.limit.Load()
}
