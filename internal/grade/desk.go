package grade

import (
	"context"
	"sync"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// Job is one program and one test.
type Job struct {
	// Key names the job, and all that its outcome depends on.
	Key string
	// Guest is the program's digest, Name its path in the built submission.
	Guest, Name string
	// Config is all else that the search is asked for.
	Config config.Config
	// Tries is how often it was handed out.
	Tries int
}

// Outcome is the outcome of a job.
type Outcome struct {
	// Result is the engine's at first, with the paths of this machine. The kept form
	// has neither those nor times in it.
	Result *result.Result
	// Lost: no engine lived to tell. Such an outcome isn't kept: the next run tries again.
	Lost bool `json:"-"`
}

// LostOutcome is that of a job whose workers died, each of them.
func LostOutcome() *Outcome {
	return &Outcome{Lost: true, Result: &result.Result{Verdict: result.Invalid, Problem: result.Fault, Reason: "worker lost"}}
}

// Post is where jobs lie for the workers of many machines.
type Post interface {
	// Offer offers jobs until there is an outcome for each, and calls done for each once,
	// one at a time. Guests and inputs are the store's files.
	Offer(ctx context.Context, store *Store, jobs []*Job, done func(*Job, *Outcome) error) error
	// Desk is that of a worker. Guests and inputs become files of the worker's store.
	Desk(*Store) Desk
}

// Desk is where jobs are handed out to workers, and outcomes come back.
type Desk interface {
	// Take hands out a job. It waits while others are at work whose jobs may come back;
	// false: none is left, or the context is over.
	Take(context.Context) (*Job, bool)
	// Done takes an outcome, for good.
	Done(*Job, *Outcome) error
	// Lost takes a job back whose worker died.
	Lost(*Job)
}

// shelf is a desk for the workers of one process, with the store's files behind it.
type shelf struct {
	store *Store

	mu      sync.Mutex
	changed *sync.Cond
	waiting []*Job
	out     int
	done    map[string]*Outcome
}

// newShelf is a desk with some jobs. Those that were done before aren't handed out.
func newShelf(store *Store, jobs []*Job) *shelf {
	s := &shelf{store: store, done: map[string]*Outcome{}}
	s.changed = sync.NewCond(&s.mu)
	seen := map[string]bool{}
	for _, j := range jobs {
		if seen[j.Key] {
			continue
		}
		seen[j.Key] = true
		var kept Outcome
		if store.get("results", j.Key, &kept) && kept.Result != nil {
			kept.Result.Bug = nil // is one of Bugs
			kept.Result.Finish()
			s.done[j.Key] = &kept
			continue
		}
		s.waiting = append(s.waiting, j)
	}
	return s
}

// Take implements Desk.
func (s *shelf) Take(ctx context.Context) (*Job, bool) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) == 0 && s.out > 0 && ctx.Err() == nil {
		s.changed.Wait()
	}
	if len(s.waiting) == 0 || ctx.Err() != nil {
		return nil, false
	}
	j := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.out++
	j.Tries++
	return j, true
}

// Done implements Desk.
func (s *shelf) Done(j *Job, o *Outcome) error {
	var err error
	if !o.Lost {
		if err = s.store.finish(j, o); err == nil {
			err = s.store.put("results", j.Key, o)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out--
	s.done[j.Key] = o
	s.changed.Broadcast()
	return err
}

// Lost implements Desk.
func (s *shelf) Lost(j *Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out--
	if j.Tries < Tries {
		s.waiting = append(s.waiting, j)
	} else {
		s.done[j.Key] = LostOutcome()
	}
	s.changed.Broadcast()
}

// takeAll hands out all jobs at once, to be done elsewhere.
func (s *shelf) takeAll() []*Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.waiting
	s.waiting = nil
	s.out += len(all)
	return all
}

// outcome is the outcome of a job, or nil.
func (s *shelf) outcome(key string) *Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[key]
}

// counts are how many jobs are done, at work, and waiting.
func (s *shelf) counts() (done, out, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.done), s.out, len(s.waiting)
}
