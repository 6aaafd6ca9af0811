package explore

import (
	"sort"

	"landgo/explore/config"
	"landgo/image"
	"landgo/result"
)

// report finds the least interleaving of each bug and tells its story.
func (h *hunt) report() error {
	for _, f := range h.found {
		err := h.as(f, func() (err error) {
			return h.outline(f)
		})
		if err != nil {
			return err
		}
		h.publish()
	}
	known := h.epoch()
	// The step that made the guest invalid may have made others finer, so that
	// the paths don't lead where they did.
	if h.watched != nil && h.result.Verdict != result.Invalid {
		if err := h.races(h.watched, h.result); err != nil {
			return err
		}
		h.unexamined(h.watched, h.result)
		h.finer = h.finer || h.epoch() != known
	}
	for _, f := range h.found {
		if err := h.as(f, func() error { return h.minimise(f) }); err != nil {
			return err
		}
	}
	sort.SliceStable(h.found, func(i, j int) bool { return h.found[i].preemptions < h.found[j].preemptions })
	preempted := map[uint64]bool{}
	for _, f := range h.found {
		if err := h.as(f, func() error { return h.write(f, preempted) }); err != nil {
			return err
		}
	}
	if h.watched != nil {
		h.watched.classify(h.result, preempted)
	}
	if len(h.result.Bugs) > 0 {
		h.result.Bug = h.result.Bugs[0]
	}
	return nil
}

// outline names a bug's execution by its threads' instructions, and tells its story
// as it is: to find a shorter one may take long.
func (h *hunt) outline(f *finding) error {
	st, err := h.session.tell(f.path)
	if err != nil {
		return err
	}
	f.schedule = st.schedule
	if _, keeps := h.obs.(Keeper); !keeps {
		return nil
	}
	brief := *f
	brief.minimal = result.BestFound
	if f.told, err = st.bug(&brief); err != nil {
		return err
	}
	if f.config != nil {
		f.told.PP = f.config.PointList()
	}
	return nil
}

// write puts a bug's story into the result, and the instructions before which a
// thread is preempted in it into preempted.
func (h *hunt) write(f *finding, preempted map[uint64]bool) error {
	if h.finer {
		if err := h.refine(f); err != nil {
			return err
		}
	}
	st, err := h.session.tell(f.path)
	if err != nil {
		return err
	}
	st.preemptedAt(preempted, &f.failure)
	b, err := st.bug(f)
	if err != nil {
		return err
	}
	if f.config != nil {
		b.PP = f.config.PointList()
	}
	f.told = b
	h.result.Bugs = append(h.result.Bugs, b)
	h.publish()
	return nil
}

// newResult is a result with what is known before the search.
func (s *session) newResult() *result.Result {
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
func (s *session) finish(r *result.Result) {
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

func (s *session) memoryModel() string {
	if s.uniprocessor() {
		return "sequentially consistent, one processor"
	}
	return "sequentially consistent, several processors"
}

func (s *session) timeoutModel() string {
	if text := s.platform.sleeps; text != "" {
		return text
	}
	if s.cfg.Timeouts == config.TimeoutsAny {
		return "a timed wait may run out at any point"
	}
	return "a timed wait runs out only when no other thread can run"
}

// profileName says by which profiles functions have their meanings.
func (s *session) profileName() string {
	if s.builtIn {
		return s.profile.Name + ", " + image.BuiltInName
	}
	if s.cfg.Profile == nil {
		return s.profile.Name
	}
	return s.profile.Name + ", " + s.cfg.Profile.Name()
}

func (s *session) assumptions() []string {
	out := s.platform.assumptions(s)
	if !s.cfg.ObserveStdout {
		out = append(out, "the order of output between threads doesn't matter")
	}
	return out
}
