package explore

import (
	"landgo/explore/config"
	"landgo/image"
	"landgo/result"
)

// newResult is a result with what is known before the search.
func (s *Session) newResult() *result.Result {
	g := s.cfg.Granularity()
	return &result.Result{
		Guest:  result.Guest{Path: s.cfg.Guest, SHA256: s.img.SHA256},
		Kernel: s.img.Kernel.String(), PP: s.cfg.PointList(), Granularity: g,
		Search: s.cfg.Search, Bound: s.cfg.Bounds.String(), Notes: s.notes,
		Certificate: result.Certificate{
			Image: s.img.SHA256, Granularity: g, Bound: s.cfg.Bounds.String(), Search: s.cfg.Search,
			Memory: s.memoryModel(), Timeouts: s.timeoutModel(), Trusted: s.platform.trusted(s), Profile: s.profileName(), SelfCheck: "not run",
		},
	}
}

// finish puts in what is known after everything.
func (s *Session) finish(r *result.Result) {
	r.Seconds = s.clock.Elapsed().Seconds()
	if s.machine == nil {
		return
	}
	r.Certificate.Engine = s.machine.Version()
	if s.sys != nil {
		r.Instructions = s.sys.Instructions()
		r.Certificate.Calls = s.sys.Calls()
	}
	r.Certificate.Assumptions = s.assumptions()
}

func (s *Session) memoryModel() string {
	if s.uniprocessor() {
		return "sequentially consistent, one processor"
	}
	return "sequentially consistent, several processors"
}

func (s *Session) timeoutModel() string {
	if text := s.platform.sleeps; text != "" {
		return text
	}
	if s.cfg.Timeouts == config.TimeoutsAny {
		return "a timed wait may run out at any point"
	}
	return "a timed wait runs out only when no other thread can run"
}

// profileName says by which profiles functions have their meanings.
func (s *Session) profileName() string {
	if s.builtIn {
		return s.profile.Name + ", " + image.BuiltInName
	}
	if s.cfg.Profile == nil {
		return s.profile.Name
	}
	return s.profile.Name + ", " + s.cfg.Profile.Name()
}

func (s *Session) assumptions() []string {
	out := s.platform.assumptions(s)
	if !s.cfg.ObserveStdout {
		out = append(out, "the order of output between threads doesn't matter")
	}
	return out
}
