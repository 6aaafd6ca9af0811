package explore

import (
	"errors"
	"fmt"

	"landgo/emu"
	"landgo/explore/config"
	"landgo/explore/limits"
	"landgo/explore/saved"
	"landgo/image"
	"landgo/kernel"
	"landgo/por"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// Session is one guest, booted and under control: a machine with its kernel
// and scheduler, standing at the root of its state space.
type Session struct {
	cfg      config.Config
	limits   *limits.Watch // nil: nothing is watched
	img      *image.Image
	platform *platform
	// profile is what is known of the guest's functions, and roles what that makes
	// of them.
	profile *image.Profile
	builtIn bool // the profile is landgo's own, of a kernel that it knows
	roles   map[uint64]image.Bound
	machine *emu.Machine
	sys     *guest
	plain   *scheduler.System // that sys is, or is made of
	kern    console
	found   func() []string // what a kernel's own scheduler turned out to do; nil before it boots
	root    trace.Mark
	check   uint32   // binds schedules to guest and configuration
	inputs  [][]byte // that a schedule depends on, see Config.Check
	racing  []uint64 // where Config.Races are
	clock   limits.Clock
	stops   bool // it is asked in the middle of steps whether to stop
	lives   int  // how often the guest was booted anew, see anew
	// fill and twins are for --check uninit, see scheduler/twin.go.
	fill  scheduler.Fill
	twins []*Session
	// following: it follows schedules that another session made.
	following bool
	// aligning: the schedule was made where threads stand at their very beginning.
	aligning bool
	// afresh: no kept boot is used, for it was damaged.
	afresh bool
	notes  []string // for the user, a line each
	// texts are those of instructions: a step of a kernel's has thousands of
	// accesses, by a few.
	texts map[uint64]string
}

func newSession(cfg config.Config, img *image.Image, w *limits.Watch) *Session {
	return &Session{cfg: cfg, img: img, platform: platformOf(img.Kernel), limits: w, clock: w.Clock(cfg.ProcessorTime)}
}

// read is a session whose guest was only read, with what is known of its functions.
func read(cfg config.Config, w *limits.Watch) (*Session, error) {
	img, err := image.Open(cfg.Guest)
	if err != nil {
		return nil, imageError(cfg.Guest, err)
	}
	s := newSession(cfg, img, w)
	if err := s.readProfile(); err != nil {
		return nil, err
	}
	return s, nil
}

// open loads the guest and makes its first thread. The caller closes the
// session, also with an error. Without limits nothing ends it early.
func open(cfg config.Config, w *limits.Watch) (*Session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s, err := read(cfg, w)
	if err != nil {
		return nil, err
	}
	if err := s.trustable(); err != nil {
		return nil, err
	}
	if why := s.platform.pointless(s); why != "" {
		return s, &invalid{kind: result.PointlessPoint, reason: why}
	}
	if why := s.unchecked(); why != "" {
		return s, &invalid{kind: result.PointlessCheck, reason: why}
	}
	if err := s.checkRules(); err != nil {
		return s, err
	}
	if s.racing, err = s.racePlaces(); err != nil {
		return s, err
	}
	if err = s.begin(); err != nil {
		return s, err
	}
	if cfg.Checks(config.CheckUninit) {
		for _, fill := range scheduler.Fills(s.img)[1:] {
			t := newSession(cfg, s.img, w)
			t.profile, t.roles, t.fill, t.racing = s.profile, s.roles, fill, s.racing
			s.twins = append(s.twins, t)
			if err := t.begin(); err != nil {
				return s, err
			}
			s.plain.Beside(t.plain)
		}
	}
	s.root = s.sys.Mark()
	return s, nil
}

// begin makes the guest's machine and its first thread.
func (s *Session) begin() error {
	err := s.beginOnce()
	var damaged *saved.DamagedBoot
	if !errors.As(err, &damaged) {
		return err
	}
	s.notes = append(s.notes, damaged.Error())
	s.afresh = true
	s.machine.Close()
	return s.beginOnce()
}

func (s *Session) beginOnce() (err error) {
	mc, err := s.platform.machine(s)
	if err != nil {
		return bootError(s.cfg.Guest, err)
	}
	if s.machine, err = emu.New(mc); errors.Is(err, emu.ErrCode) {
		return result.Errorf(gapProblems[kernel.GapLayout], "%s: its code is outside of a program's address space: %w", s.cfg.Guest, err)
	} else if err != nil {
		return result.Errorf(result.BadEngine, "the CPU emulator can't be started: %w", err)
	}
	s.machine.DeclareAllShared(s.cfg.AllShared)
	s.plain = scheduler.New(s.schedulerConfig(), s.machine, s.img)
	s.sys = guestOf(s.plain)
	return s.boot()
}

// anew puts a new guest in the session's place, which knows what is given and
// nothing else.
func (s *Session) anew(known *scheduler.Knowledge) error {
	fresh, err := s.another()
	if err == nil {
		_, err = fresh.sys.Learn(known)
	}
	if err != nil {
		if fresh != nil {
			fresh.close()
		}
		return fmt.Errorf("the guest can't be booted once more: %w", err)
	}
	fresh.sys.TakeWitnessed()
	fresh.clock, fresh.lives = s.clock, s.lives+1
	stops := s.stops
	s.close()
	*s = *fresh
	if stops {
		s.stopsWithin(true)
	}
	return nil
}

// another is a new guest like the session's own, at its root.
func (s *Session) another() (*Session, error) { return open(s.cfg, s.limits) }

func (s *Session) close() {
	for _, t := range s.twins {
		t.close()
	}
	if s.machine != nil {
		s.limits.MayHalt(s.machine, false)
		s.machine.Close()
	}
}

// pools reports whether there are tested allocators to follow.
func (s *Session) pools() bool {
	if s.cfg.NoHeap {
		return false
	}
	for _, b := range s.roles {
		if b.Followed() {
			return true
		}
	}
	return false
}

// uniprocessor reports whether the guest has one processor.
func (s *Session) uniprocessor() bool {
	switch s.cfg.Processors {
	case config.ProcessorsUP:
		return true
	case config.ProcessorsSMP:
		return false
	}
	return s.platform.uniprocessor
}

func (s *Session) schedulerConfig() scheduler.Config {
	c := scheduler.Config{
		StepBudget: s.cfg.StepBudget,
		AnyTimeout: s.cfg.Timeouts == config.TimeoutsAny,
		MaxThreads: s.cfg.MaxThreads,
		Trusted:    s.cfg.TrustedRoles(),
		Profile:    s.profile,
		PointsOnly: !s.platform.carriesOut,
		Native:     s.cfg.NativeSync || len(s.cfg.LocksTested) > 0,
	}
	switch {
	case s.cfg.Checks(config.CheckLeak):
		c.Leaks = scheduler.LeaksLost
	case s.cfg.Checks(config.CheckLeakAll):
		c.Leaks = scheduler.LeaksAll
	}
	c.NativeMalloc = s.cfg.Malloc == config.MallocNative && s.platform.carriesOut
	c.Pools = s.pools()
	if s.cfg.Checks(config.CheckUninit) {
		c.Fill = &s.fill
	}
	if spec, err := por.ParseSpec(s.cfg.Search); err == nil {
		c.NoMerge = spec.Kind().SingleEvents
	}
	c.Granularity = s.granularity(s.cfg.PP, s.racing)
	return c
}
