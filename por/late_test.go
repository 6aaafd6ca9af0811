package por

import (
	"fmt"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs whose main thread, or another, ends the process while others run, under optimal
// with ends that come last. Two judges again: with ends anywhere, and with ends that come
// last. There have to be the same bugs and the same deadlocks. Where there is no bug, the
// same threads end the process with the same registers: a status is made of these. (What was
// written to memory by the end differs; scheduler/late.go says what could tell.)

// lateSurvey is the findings in a program's executions.
type lateSurvey struct {
	*survey
	bugs map[outcome]bool
}

func surveyLate(p *model.Program, late bool) *lateSurvey {
	s := &lateSurvey{survey: newSurvey(p)}
	s.r.late = late
	return s
}

func (s *lateSurvey) look() error {
	s.bugs = map[outcome]bool{}
	root := s.r.Mark()
	_, err := exhaustTo(s.survey, soakLimit)
	s.r.Rewind(root)
	for o := range s.outcomes {
		switch o.ending {
		case EndedBug:
			o.state = 0
			s.bugs[o] = true
		case EndedStuck:
			s.bugs[o] = true
		}
	}
	return err
}

// agreeLate compares optimal with both judges.
func agreeLate(p *model.Program, f fault) error {
	all, last, found := surveyLate(p, false), surveyLate(p, true), surveyLate(p, true)
	all.ender, last.ender, found.ender = map[string]bool{}, map[string]bool{}, map[string]bool{}
	if err := all.look(); err != nil {
		return err
	}
	last.r.EndLate(true)
	if err := last.look(); err != nil {
		return err
	}
	if !all.stats.Complete || !last.stats.Complete {
		return errTooLarge
	}
	for o := range all.bugs {
		if !last.bugs[o] {
			return fmt.Errorf("with late ends: missed %+v", o)
		}
	}
	for o := range last.bugs {
		if !all.bugs[o] {
			return fmt.Errorf("with late ends: invented %+v", o)
		}
	}
	for e := range all.ender {
		if !last.ender[e] && len(all.bugs) == 0 {
			return fmt.Errorf("with late ends: no end %s", e)
		}
	}
	opts := single
	opts.fault, opts.MaxExecutions = f, 2*soakLimit
	search, err := New("optimal", opts)
	if err != nil {
		return err
	}
	if found.stats, err = search.Run(found.r, found.survey); err != nil {
		return err
	}
	for o := range last.outcomes {
		if found.outcomes[o] == nil {
			return fmt.Errorf("missed %+v", o)
		}
	}
	if !found.stats.Complete {
		return fmt.Errorf("%+v", found.stats)
	}
	if spins(p) {
		return nil
	}
	for c := range last.traces {
		if found.traces[c] == nil {
			return fmt.Errorf("missed a trace of %d", len(last.traces))
		}
	}
	if int(found.stats.Executions) != len(last.traces) || found.stats.Blocked > 0 && !casts(p) {
		return fmt.Errorf("%+v of %d traces", found.stats, len(last.traces))
	}
	return nil
}

// ending draws programs whose threads an end of the process may cut off.
func ending() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		var p *model.Program
		if pick(t, "standing", 2) == 0 {
			p = drawStanding(t, false, false)
		} else {
			p = draw(t, false, false, true)
		}
		p.MainEnds = pick(t, "main ends", 4) > 0
		if pick(t, "another ends", 3) == 0 {
			n := len(p.Threads) - 1
			p.Threads[n] = append(p.Threads[n], model.Instr{Code: model.Exit})
		}
		return p
	})
}

func TestLateEnds(t *testing.T) {
	onRandom(t, ending(), func(p *model.Program) error { return agreeLate(p, sound) })
}

// TestSoakLateEnds is TestLateEnds on as many programs as LANDGO_SOAK says.
func TestSoakLateEnds(t *testing.T) {
	run := 0
	soakBatches(t, func(seed uint64) bool {
		return soakOne(t, seed, func(rt *rapid.T) {
			p := ending().Draw(rt, "program")
			switch err := agreeLate(p, sound); {
			case err == errTooLarge:
				rt.Skip()
			case err != nil:
				tellFinding(rt, err, p)
			}
			run++
		})
	}, func() string { return fmt.Sprintf("%d programs that end early", run) })
}

// TestLateEndsMutant: to race with all that came before would be in vain.
func TestLateEndsMutant(t *testing.T) {
	findsFault(t, ending(), 3000, func(p *model.Program) error { return agreeLate(p, racingEnds) })
}
