package por

import (
	"fmt"

	"landgo/por/internal/model"
	"landgo/trace"
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

// survey is what a search found, or the judge.
type survey struct {
	m        *model.Machine
	r        *recorder
	stats    Stats
	outcomes map[outcome]*price  // the least
	traces   map[string]*reached // by canonical form
	longest  int                 // execution, in events
	buf      []byte
	clash    string // two equivalent executions with different outcomes
}

func newSurvey(p *model.Program) *survey {
	s := &survey{m: model.New(p)}
	s.Restarted()
	s.r = &recorder{System: s.m}
	return s
}

// ended notes the execution at whose end the system stands.
func (s *survey) ended(e Ending) {
	s.longest = max(s.longest, len(s.r.path))
	o := outcome{ending: e, state: s.m.State()}
	if e == EndedBug {
		o.bug = s.m.Bug + 1
	}
	p := s.r.price()
	if old, ok := s.outcomes[o]; ok {
		old.least(&p)
	} else {
		first := p
		s.outcomes[o] = &first
	}
	s.buf = s.r.canonical(s.buf)
	old, ok := s.traces[string(s.buf)]
	switch {
	case !ok:
		s.traces[string(s.buf)] = &reached{o, p, s.r.rounds()}
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
	s.ended(x.Ending)
	return true
}

func (s *survey) Progress(Progress) {}

func (s *survey) Restarted() {
	s.outcomes, s.traces = map[outcome]*price{}, map[string]*reached{}
}

// explore runs a search on a program.
func explore(name string, p *model.Program, opts Options) (*survey, error) {
	s := newSurvey(p)
	search, err := New(name, opts)
	if err != nil {
		return nil, err
	}
	s.stats, err = search.Run(s.r, s)
	return s, err
}

// exhaust runs every execution of a program, unless there are more than limit.
func exhaust(p *model.Program, limit uint64) (*survey, error) {
	s := newSurvey(p)
	all := true
	var states [][]trace.Thread // a buffer for each depth
	var walk func() error
	walk = func() error {
		d := len(s.r.path)
		if d == len(states) {
			states = append(states, nil)
		}
		threads := s.r.Threads(states[d][:0])
		states[d] = threads
		mark := s.r.Mark()
		end := EndedProcess
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
					s.count(EndedProcess)
				case trace.EndBug:
					s.count(EndedBug)
				default:
					err = walk()
				}
				if err != nil {
					return err
				}
				all = s.stats.Executions <= limit
				s.r.Rewind(mark)
			}
		}
		if end != EndedBlocked {
			s.count(end)
		}
		return nil
	}
	err := walk()
	s.stats.Complete = all
	return s, err
}

func (s *survey) count(e Ending) {
	s.stats.Executions++
	s.ended(e)
}

// judgeLimit is the number of executions that the judge may take.
const judgeLimit = 2500

// judged is the judge's survey of a program, nil if the program is too large.
func judged(t interface{ Fatal(...any) }, p *model.Program, limit uint64) *survey {
	if quick, _ := explore("optimal", p, Options{OneEvent: !p.Coarse, Unmerged: true, MaxExecutions: limit / 10}); !quick.stats.Complete {
		return nil // don't spend the judge's time on what it won't finish
	}
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
