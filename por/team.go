package por

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"landgo/trace"
)

// team is workers who explore one tree.
type team struct {
	crew    Crew
	members []*explorer // the first is the search's own
	running sync.WaitGroup

	mu       sync.Mutex // for all below, and the junctions
	wake     sync.Cond  // there is work, or nothing more to wait for
	live     []*junction
	waiting  int
	stopped  bool // everybody is to stop
	due      bool // to be saved, whatever SaveNow says
	saving   bool // everybody is to stand still, see resume.go
	parked   int
	complete bool
	err      error
	fault    string // a panic
	seen     []report
}

// report is how far a member was when it last looked up.
type report struct {
	stats Stats
	at    *junction // the deepest of its path
	below float64   // the share of what is below there that is done
}

// errAway is a path that leads elsewhere on another system.
var errAway = errors.New("a step ends elsewhere when another worker repeats it")

// assemble makes a team of x and whoever there is to be had: not of x alone,
// unless it must.
func (x *explorer) assemble(must bool) error {
	var workers []Worker
	if x.opts.Crew != nil {
		var err error
		if workers, err = x.opts.Crew.Hire(); err != nil {
			return err
		}
	}
	if len(workers) == 0 && !must {
		x.opts.Crew = nil
		return nil
	}
	t := &team{crew: x.opts.Crew, members: []*explorer{x}}
	t.wake.L = &t.mu
	for _, w := range workers {
		m := newExplorer(w.Sys, w.Obs, x.spec, x.opts)
		m.team = t
		m.root = m.sys.Mark()
		m.reset()
		t.members = append(t.members, m)
	}
	t.seen = make([]report, len(t.members))
	x.team = t
	return nil
}

// start has the further members work.
func (t *team) start() {
	for _, m := range t.members[1:] {
		t.running.Add(1)
		go m.work()
	}
}

// work is what the goroutine of a further member does.
func (x *explorer) work() {
	defer x.team.running.Done()
	defer func() {
		if r := recover(); r != nil {
			x.team.panicked(fmt.Sprintf("%v\n%s", r, debug.Stack()))
		}
	}()
	x.team.lock(x)
	err := x.findWork()
	x.team.unlock(x)
	if err == nil {
		err = x.roam()
	}
	x.team.left(x, err)
}

func (t *team) panicked(why string) {
	t.mu.TryLock() // whoever held it won't go on
	t.fault = why
	t.stop()
	t.mu.Unlock()
}

// lock takes the lock unless x has it.
func (t *team) lock(x *explorer) bool {
	if x.holds {
		return false
	}
	t.mu.Lock()
	x.holds = true
	return true
}

func (t *team) unlock(x *explorer) {
	x.holds = false
	t.mu.Unlock()
}

// stop has everybody stop. Preconditions: the lock is held.
func (t *team) stop() {
	t.stopped = true
	t.wake.Broadcast()
}

// left notes that a member doesn't go on.
func (t *team) left(x *explorer, err error) {
	t.lock(x)
	if err != nil && t.err == nil {
		t.err = err
	}
	t.stop()
	t.unlock(x)
}

// dissolve waits for all and sums up; err is of the search's own worker.
func (t *team) dissolve(err error) error {
	x := t.members[0]
	t.left(x, err)
	t.running.Wait()
	x.team, x.halted = nil, false
	for i := range x.nodes {
		n := &x.nodes[i]
		if n.shared != nil {
			n.todo, n.done, n.shared = nil, nil, nil
		}
	}
	if t.fault != "" {
		panic(t.fault)
	}
	for _, m := range t.members[1:] {
		x.stats.add(&m.stats)
		x.stopped = x.stopped || m.stopped
		x.finer = x.finer || m.finer
	}
	x.stats.Complete = t.complete
	var news bool
	var failed error
	if t.crew != nil {
		news, failed = t.crew.Settle()
	}
	if t.err != nil {
		return t.err
	}
	if news && t.complete {
		x.finer = true
	}
	return failed
}

// add adds the counts of another worker.
func (s *Stats) add(o *Stats) {
	s.Executions += o.Executions
	s.Blocked += o.Blocked
	s.Pruned += o.Pruned
	s.Transitions += o.Transitions
	s.Replayed += o.Replayed
}

func (t *team) add(j *junction) {
	j.index = len(t.live)
	t.live = append(t.live, j)
}

// remove: nothing is left to explore from j.
func (t *team) remove(j *junction) {
	j.gone = true
	last := t.live[len(t.live)-1]
	t.live[j.index], last.index = last, j.index
	t.live[len(t.live)-1] = nil
	t.live = t.live[:len(t.live)-1]
}

// finished notes that a branch of j was explored by x.
func (t *team) finished(x *explorer, j *junction, thread trace.TID, c trace.Choice) {
	locked := t.lock(x)
	j.finish(thread, c)
	if locked {
		t.unlock(x)
	}
}

// pick is the junction nearest to the root that has a branch for one worker
// more, nil if there is none: it has the most below it. One who works alone
// takes the farthest, in the order of the search.
func (t *team) pick() (best *junction) {
	alone := len(t.members) == 1
	for _, j := range t.live {
		if (best == nil || j.depth < best.depth != alone) && j.todo != nil && (j.coming == 0 || count(j.todo) > j.coming) {
			best = j
		}
	}
	return best
}

// findWork brings x to a junction with a branch left, once there is one.
// Preconditions: the lock is held; it is given up for the while.
func (x *explorer) findWork() error {
	t := x.team
	t.seen[x.seat()] = report{stats: x.stats}
	j := t.pick()
	for ; (j == nil || t.saving) && !t.stopped; j = t.pick() {
		t.waiting++
		if t.waiting == len(t.members) {
			panic("por: everybody waits for work and nobody has any")
		}
		t.wake.Broadcast() // somebody may wait for all to stand still
		x.wait()
		t.waiting--
	}
	if t.stopped {
		x.halted = true
		return nil
	}
	j.coming++
	t.unlock(x)
	err := x.visit(j)
	t.lock(x)
	j.coming--
	x.park()
	return err
}

// seat is x's place in the team.
func (x *explorer) seat() int {
	for i, m := range x.team.members {
		if m == x {
			return i
		}
	}
	panic("por: a stranger")
}

// give makes the shallowest state of the current path that has branches left
// common property. Preconditions: the lock is held.
func (x *explorer) give() {
	for i := range x.nodes {
		if n := &x.nodes[i]; n.shared == nil && n.todo != nil {
			x.publish(i)
			x.team.wake.Broadcast()
			return
		}
	}
}

// attend is called every few hundred transitions, between two of them.
func (x *explorer) attend() error {
	x.due = false
	t := x.team
	if t == nil {
		if x.opts.Stop != nil && x.opts.Stop() {
			x.stopped = true
			return nil
		}
		if x.polled&0xfff == 0 {
			x.obs.Progress(Progress{Stats: x.stats, Share: x.share()})
		}
		warm := x.opts.Crew != nil && (x.stats.Transitions >= cmp.Or(x.opts.WarmUp, warmUp) || x.opts.restless)
		if save := x.opts.SaveNow != nil && x.opts.SaveNow(); save || warm {
			if err := x.assemble(save); err != nil || x.team == nil {
				return err
			}
			x.team.lock(x)
			x.team.due, x.due = save, save
			x.give()
			x.team.unlock(x)
			x.team.start()
		}
		return nil
	}
	t.lock(x)
	defer t.unlock(x)
	if t.stopped {
		x.halted = true
		return nil
	}
	if x.opts.Stop != nil && x.opts.Stop() {
		x.stopped = true
		return nil
	}
	x.park()
	if err := x.saving(); err != nil {
		return err
	}
	at, below := x.progress()
	t.seen[x.seat()] = report{x.stats, at, below}
	if x.polled&0xfff == 0 {
		t.members[0].obs.Progress(t.progress())
	}
	if t.stopped {
		x.halted = true
		return nil
	}
	if t.waiting > 0 && t.pick() == nil {
		x.give()
	}
	return nil
}

// stopNow polls Options.Stop, which one worker at a time may do.
func (x *explorer) stopNow() bool {
	if x.opts.Stop == nil {
		return false
	}
	if x.team != nil && x.team.lock(x) {
		defer x.team.unlock(x)
	}
	return x.opts.Stop()
}
