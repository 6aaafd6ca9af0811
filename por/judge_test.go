package por

import (
	"fmt"
	"slices"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

// The judge of the random programs: what a program's executions lead to, what
// traces they are of, and what each costs at least. It is a plain recursion
// over a System and shares nothing with the searches but that interface.

// outcome is where an execution of a program led.
type outcome struct {
	ending Ending
	bug    int
	state  uint64
}

// reached is where a trace leads, and what it costs at least.
type reached struct {
	outcome
	price  price
	rounds int
}

// survey is the findings of a search, or of the judge.
type survey struct {
	p        *model.Program
	m        *model.Machine
	r        *recorder
	stats    Stats
	outcomes map[outcome]*price  // the least
	traces   map[string]*reached // by canonical form
	dearest  price               // of all executions, by each measure
	longest  int                 // execution, in events
	judges   bool                // rounds are wanted too
	blocked  bool                // a thread waited for more than a join, at some time
	buf      []byte
	ender    map[string]bool // of an execution that the process's end ended, if it isn't nil
	clash    string          // two equivalent executions with different outcomes
}

func newSurvey(p *model.Program) *survey {
	s := &survey{m: model.New(p), p: p}
	s.Restarted()
	s.r = &recorder{System: s.m, endless: p.Backs}
	return s
}

// spare is the machine and the recorder that a survey of the last program was made
// with, nil while they are used. The same program goes through sixty searches of
// some microseconds each.
var spare *survey

func borrow(p *model.Program) *survey {
	old := spare
	if spare = nil; old == nil || old.p != p {
		return newSurvey(p)
	}
	s := &survey{m: old.m, p: p, r: old.r}
	s.Restarted()
	return s
}

// outcome is where the system stands at an execution's end.
func (s *survey) outcome(e Ending) outcome {
	o := outcome{ending: e, state: s.m.State()}
	if s.p.Counts || s.p.Backs || s.p.Hints {
		o.state = s.m.Shared() // how often a thread has looked that is cut off, or stuck, is its own business
	}
	if s.p.Assumes && e == EndedBug {
		o.state = 0 // another thread may have failed
	}
	if s.p.Backs && (e == EndedBug || s.p.MainEnds && e == EndedProcess) {
		o.state = 0 // and what it had added when it was cut off
	}
	if s.p.Alike > 0 {
		o.state = s.m.AlikeState()
	}
	if e == EndedBug {
		o.bug = s.m.Bug + 1
	}
	return o
}

// ended notes the execution at whose end the system stands. threads are those of the last state before the
// process ended.
func (s *survey) ended(e Ending, threads []trace.Thread) {
	s.longest = max(s.longest, len(s.r.path))
	o := s.outcome(e)
	if e == EndedProcess && s.ender != nil && len(s.r.path) > 0 {
		if x := s.r.path[len(s.r.path)-1]; x.End == trace.EndProcess {
			s.ender[s.m.Local(x.Thread)] = true
		}
	}
	p := s.r.price()
	s.dearest.most(&p)
	if s.p.Assumes && assumedAway(e, threads) {
		o = outcome{ending: EndedBlocked} // it is none
	} else if old, ok := s.outcomes[o]; ok {
		old.least(&p)
	} else {
		first := p
		s.outcomes[o] = &first
	}
	s.buf = s.r.canonical(s.buf)
	old, ok := s.traces[string(s.buf)]
	switch {
	case !ok:
		old = &reached{outcome: o, price: p}
		if s.judges {
			old.rounds = s.r.rounds()
		}
		s.traces[string(s.buf)] = old
		return
	case old.outcome != o:
		s.clash = fmt.Sprintf("%v and %v", old.outcome, o)
	}
	old.price.least(&p)
}

func (s *survey) Ended(x *Execution) bool {
	if x.Ending == EndedBlocked || x.Ending == EndedPruned {
		return true
	}
	if p := s.r.price(); int(p.preempt) != x.Preemptions {
		s.clash = fmt.Sprintf("%d preemptions are %d", x.Preemptions, p.preempt)
	}
	s.ended(x.Ending, x.Threads)
	return true
}

func (s *survey) Progress(Progress) {}

func (s *survey) Restarted() {
	s.outcomes, s.traces = map[outcome]*price{}, map[string]*reached{}
}

// explore runs a search on a program.
func explore(name string, p *model.Program, opts Options) (*survey, error) {
	search, err := New(name, opts)
	if err != nil {
		return nil, err
	}
	s := borrow(p)
	root := s.r.Mark()
	if s.stats, err = search.Run(s.r, s); err == nil {
		s.r.Rewind(root)
		s.r.marks = s.r.marks[:0]
		spare = s
	}
	return s, err
}

// exhaust runs every execution of a program, unless there are more than limit,
// or it looks so.
func exhaust(p *model.Program, limit uint64) (*survey, error) { return exhaustTo(newSurvey(p), limit) }

// mostSteps bounds an execution: a loop may have no end.
const mostSteps = 60

func exhaustTo(s *survey, limit uint64) (*survey, error) {
	s.judges = true
	all := true
	var states [][]trace.Thread // a buffer for each depth
	done := 0.0                 // the share of the executions that were run, as if each state's branches had equally many
	var walk func(share float64) error
	walk = func(share float64) error {
		d := len(s.r.path)
		if d > mostSteps {
			return errTooLarge
		}
		if d == len(states) {
			states = append(states, nil)
		}
		threads := s.r.Threads(states[d][:0])
		states[d] = threads
		mark := s.r.Mark()
		end, branches := EndedProcess, uint32(0)
		for i := range threads {
			branches += threads[i].Outcomes
		}
		share /= float64(max(branches, 1))
		for i := range threads {
			t := &threads[i]
			if t.Status == trace.Exited {
				continue
			}
			if end == EndedProcess {
				end = EndedStuck
			}
			for c := uint32(0); c < t.Outcomes && all; c++ {
				end = EndedBlocked // not an end at all
				x, err := s.r.Step(t.ID, trace.Choice(c))
				if err != nil {
					return err
				}
				s.stats.Transitions++
				switch x.End {
				case trace.EndProcess:
					if slices.ContainsFunc(threads, func(t trace.Thread) bool { return t.Parked }) {
						s.stats.Blocked++
					} else {
						s.count(EndedProcess, threads)
					}
					done += share
				case trace.EndBug:
					s.count(EndedBug, threads)
					done += share
				default:
					err = walk(share)
				}
				if err != nil {
					return err
				}
				n := s.stats.Executions
				all = all && n <= limit && (n < limit/8 || float64(n) < 5*done*float64(limit))
				s.r.Rewind(mark)
			}
		}
		for i := range threads {
			if threads[i].Parked && end != EndedBlocked {
				end = EndedBlocked
				s.stats.Blocked++
			}
		}
		if end != EndedBlocked {
			s.count(end, threads)
			done += share
		}
		return nil
	}
	err := walk(1)
	s.stats.Complete, s.blocked = all, s.r.blocked
	return s, err
}

func (s *survey) count(e Ending, threads []trace.Thread) {
	s.stats.Executions++
	s.ended(e, threads)
}

// judgeLimit is the number of executions that the judge may take.
const judgeLimit = 2500

// judged is the judge's survey of a program, nil if the program is too large.
func judged(t interface{ Fatal(...any) }, p *model.Program, limit uint64) *survey {
	judge, err := exhaust(p, limit)
	if err != nil {
		t.Fatal(err)
	}
	if judge.clash != "" && !spins(p) {
		t.Fatal("the model isn't deterministic, or the canonical form is wrong:", judge.clash)
	}
	if !judge.stats.Complete {
		return nil
	}
	return judge
}

// spins reports whether a program has loops, so that waiting has no fixed
// number of events.
func spins(p *model.Program) bool {
	for _, code := range p.Threads {
		for pc, in := range code {
			if (in.Code == model.Jump || in.Code == model.JumpIf || in.Code == model.JumpNe) && in.A <= pc {
				return true
			}
		}
	}
	return false
}
