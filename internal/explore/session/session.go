package session

import (
	"errors"
	"fmt"

	"landgo/emu"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/saved"
	"landgo/internal/image"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
	"landgo/scheduler/library"
)

// Session is one guest, booted and under control: a machine with its kernel
// and scheduler, standing at the root of its state space.
type Session struct {
	Program
	Limits  *limits.Watch // nil: nothing is watched
	Machine *emu.Machine
	Guest   *Guest
	Plain   *scheduler.System // that Guest is, or is made of
	Console Console
	hunt    func()          // Hunt, of a kernel with a scheduler of its own
	found   func() []string // the ways of a kernel's own scheduler, as they turned out; nil before it boots
	Root    trace.Mark
	Check   uint32   // binds schedules to guest and configuration
	Inputs  [][]byte // that a schedule depends on, see Config.Check
	Clock   limits.Clock
	stops   bool // it is asked in the middle of steps whether to stop
	lives   int  // how often the guest was booted anew, see anew
	// fill and twins are for --check uninit, see scheduler/twin.go.
	fill  scheduler.Fill
	twins []*Session
	// Following: it follows schedules that another session made.
	Following bool
	// Unfinished: the execution goes on where the schedule ends that FollowAll has followed.
	Unfinished bool
	// Aligning: the schedule was made where threads stand at their very beginning.
	Aligning bool
	// through: a schedule is followed past points, for it has too many steps otherwise.
	through bool
	edge    uint64 // how many instructions before a segment's end it isn't
	long    string // a schedule for which that is known
	// openings has the program's start, for all sessions that are alike.
	openings *scheduler.Openings
	// afresh: no kept boot is used, because it was damaged.
	afresh bool
	Notes  []string // for the user, a line each
	// Covered is the coverage of it and the sessions that came of it, nil: not wanted.
	Covered *Coverage
	account *account
	// counted are groups of --trust's. The calls of their functions are counted by library,
	// as those of the groups that are trusted.
	counted []string
	library *library.Library // of a program
}

func newSession(cfg config.Config, img *image.Image, w *limits.Watch) *Session {
	s := &Session{Program: Program{Config: cfg, Image: img, Platform: platformOf(img.Kernel)}, Limits: w, Clock: w.Clock(cfg.ProcessorTime)}
	if cfg.Covers() {
		s.Covered = &Coverage{open: map[*account]bool{}}
		s.afresh = true // a kept boot has no account of what it ran
	}
	return s
}

// Read is a session whose guest was only read, with what is known of its functions.
func Read(cfg config.Config, w *limits.Watch) (*Session, error) {
	img, err := image.Open(cfg.Guest, cfg.LibrarySearch())
	if err != nil {
		return nil, ImageError(cfg.Guest, err)
	}
	if how := sanitizer(img); how != "" {
		return nil, result.Errorf(result.Sanitized, "%s: built with -fsanitize=%s", cfg.Guest, how)
	}
	if why := otherRuntime(img); why != "" {
		return nil, result.Errorf(result.OtherRuntime, "%s: %s", cfg.Guest, why)
	}
	s := newSession(cfg, img, w)
	s.Notes = append(s.Notes, unread(img)...)
	if err := s.readProfile(); err != nil {
		return nil, err
	}
	return s, nil
}

// Open loads the guest and makes its first thread. The caller closes the
// session, also with an error. Without limits nothing ends it early.
func Open(cfg config.Config, w *limits.Watch) (*Session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s, err := Read(cfg, w)
	if err != nil {
		return nil, err
	}
	return s.opened()
}

// OpenAs is Open of the session's own guest, with a configuration that doesn't say otherwise
// which files that is. They aren't read again.
func (s *Session) OpenAs(cfg config.Config) (*Session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	t := newSession(cfg, s.Image, s.Limits)
	if err := t.readProfile(); err != nil {
		return nil, err
	}
	return t.opened()
}

// opened loads the guest that was read.
func (s *Session) opened() (_ *Session, err error) {
	if err := s.trustable(); err != nil {
		return nil, err
	}
	if s.Config.Buffers() && (s.uniprocessor() || !s.Platform.Buffered) {
		return s, result.Errorf(result.Usage, "--model tso is for programs on several processors: the memory of this guest, which has one, is sequentially consistent")
	}
	if s.Config.Copies == config.CopiesDivided && (s.uniprocessor() || !s.Platform.Buffered) {
		return s, result.Errorf(result.Usage, "--copies divided is for programs on several processors: on one, a call copies in one step")
	}
	if s.Config.Faults != "" && !s.Platform.carriesOut {
		return s, result.Errorf(result.Usage, "--faults is for programs on Linux: landgo has no call of a guest on %s fail", s.Image.Kernel)
	}
	if why := s.Platform.pointless(&s.Program); why != "" {
		return s, &Invalid{Kind: result.PointlessPoint, Reason: why}
	}
	if why := s.unchecked(); why != "" {
		return s, &Invalid{Kind: result.PointlessCheck, Reason: why}
	}
	if err := s.checkRules(); err != nil {
		return s, err
	}
	if s.Racing, err = s.RacePlaces(); err != nil {
		return s, err
	}
	if err = s.begin(); err != nil {
		return s, err
	}
	if s.Config.Checks(config.CheckUninit) {
		for _, fill := range scheduler.Fills(s.Image)[1:] {
			t := s.alike()
			t.fill, t.Racing = fill, s.Racing
			s.twins = append(s.twins, t)
			if err := t.begin(); err != nil {
				return s, err
			}
			s.Plain.Beside(t.Plain)
		}
	}
	if s.Covered != nil {
		s.cover()
	}
	s.Root = s.Guest.Mark()
	return s, nil
}

// begin makes the guest's machine and its first thread.
func (s *Session) begin() error {
	err := s.beginOnce()
	var damaged *saved.DamagedBoot
	if !errors.As(err, &damaged) {
		return err
	}
	s.Notes = append(s.Notes, damaged.Error())
	s.afresh = true
	s.Machine.Close()
	return s.beginOnce()
}

func (s *Session) beginOnce() (err error) {
	mc, err := s.Platform.machine(&s.Program)
	if err != nil {
		return bootError(s.Config.Guest, err)
	}
	if s.Machine, err = emu.New(mc); errors.Is(err, emu.ErrCode) {
		return result.Errorf(gapProblems[kernel.GapLayout], "%s: its code is outside of a program's address space: %w", s.Config.Guest, err)
	} else if err != nil {
		return result.Errorf(result.BadEngine, "the CPU emulator can't be started: %w", err)
	}
	s.Machine.DeclareAllShared(s.Config.AllShared)
	if s.Config.Checks(config.CheckUninit) && s.Platform.carriesOut {
		var frames []emu.Frame
		for _, f := range static.Frames(s.Image.Info) {
			frames = append(frames, emu.Frame{PC: f.Addr, Size: f.Size})
		}
		s.Machine.FillFrames(s.fill, frames)
	}
	s.Plain = scheduler.New(s.schedulerConfig(), s.Machine, s.Image)
	p := s.Plain
	s.Guest = &Guest{Runner{p, Sparing{p, p, p, p, p, p, p, p, p, p, p}}, Gatherer{p, p}, Replayed{p, p}, Told{p, p, p}}
	return s.boot()
}

// Anew puts a new guest in the session's place, which knows what is given and
// nothing else.
func (s *Session) Anew(known *scheduler.Knowledge) error {
	fresh, err := s.Another()
	if err == nil {
		_, err = fresh.Guest.Learn(known)
	}
	if err != nil {
		if fresh != nil {
			fresh.Close()
		}
		return fmt.Errorf("the guest can't be booted once more: %w", err)
	}
	fresh.Guest.Seen().Take()
	fresh.Clock, fresh.lives = s.Clock, s.lives+1
	if s.account != nil { // code reached by now is to be forgotten where the search is (ForgetPoints)
		fresh.CountReached(s.TakeReached())
	}
	stops := s.stops
	s.Close()
	*s = *fresh
	if stops {
		s.StopsWithin(true)
	}
	return nil
}

// Another is a new guest like the session's own, at its root. Its file isn't read again: a
// file that changes meanwhile changes no search, and nothing of it is parsed twice.
func (s *Session) Another() (*Session, error) {
	if err := s.Config.Validate(); err != nil {
		return nil, err
	}
	t := s.alike()
	t.roles = profile.Roles(t.Image.Info, t.profile) // a guest strikes out those that it is found not to keep to
	return t.opened()
}

// Counting is a new session of the guest, in which the calls of the functions of groups of
// --trust's are counted. The caller closes it, also with an error.
func (s *Session) Counting(groups []string) (*Session, error) {
	if err := s.Config.Validate(); err != nil {
		return nil, err
	}
	t := s.alike()
	t.roles = profile.Roles(t.Image.Info, t.profile)
	t.counted = groups
	return t.opened()
}

// alike is a session with what was read for this one.
func (s *Session) alike() *Session {
	t := newSession(s.Config, s.Image, s.Limits)
	t.Covered, t.openings = s.Covered, s.openings
	t.profile, t.builtIn, t.misfit, t.roles, t.judged = s.profile, s.builtIn, s.misfit, s.roles, s.judged
	return t
}

// Close gives the session's machines back. A worker's session whose search was
// stopped in the middle of a step is closed twice: by the search, and with its crew.
func (s *Session) Close() {
	for _, t := range s.twins {
		t.Close()
	}
	if s.Machine != nil {
		s.Limits.MayHalt(s.Machine, false)
		s.Covered.closing(s.account)
		s.Machine.Close()
		s.Machine = nil
	}
}

// pools reports whether there are tested allocators to follow.
func (p *Program) pools() bool {
	if p.Config.NoHeap {
		return false
	}
	for _, b := range p.roles {
		if b.Followed() {
			return true
		}
	}
	return false
}

// uniprocessor reports whether the guest has one processor.
func (p *Program) uniprocessor() bool {
	switch p.Config.Processors {
	case config.ProcessorsUP:
		return true
	case config.ProcessorsSMP:
		return false
	}
	return p.Platform.uniprocessor
}

func (s *Session) schedulerConfig() scheduler.Config {
	c := scheduler.Config{
		OutputOrder: s.Config.ObserveStdout,
		StepBudget:  s.Config.StepBudget,
		MaxThreads:  s.Config.MaxThreads,
		Tested:      !s.Platform.carriesOut,
		Guarded:     s.Config.TrustedRoles() != nil,
	}
	switch {
	case s.Config.Checks(config.CheckLeak):
		c.Leaks = scheduler.LeaksLost
	case s.Config.Checks(config.CheckLeakAll):
		c.Leaks = scheduler.LeaksAll
	}
	c.OwnAllocator = s.Config.Malloc == config.MallocNative && s.Platform.carriesOut
	c.Pools = s.pools()
	if s.Config.Checks(config.CheckUninit) {
		c.Fill = &s.fill
	}
	c.Buffers = s.Config.Buffers()
	c.Divided = s.Config.Copies == config.CopiesDivided
	c.Faults = s.Config.Failures()
	if spec, err := por.ParseSpec(s.Config.Search); err == nil {
		c.NotForTimers, c.AtOnce, c.OneByOne = spec.NotForKernels(), !spec.Arrivals(), spec.OneByOne()
	}
	c.Leaves = s.Config.Leaves
	c.Ticks, c.Deepens = s.Config.MostTicks(), s.Config.Deepens()
	c.Granularity = s.Granularity(s.Config.PP, s.Racing)
	if s.Config.Race != config.RaceOff || s.Config.FailOnRace {
		c.Declared = func(a *trace.Access) bool { return s.atomicity(a.PC, a.Addr) == race.Declared }
	}
	// A poll before a write, and one after it, show that the two have no order. Where races are
	// bugs these have to be runs.
	c.Polls, c.Ordered, c.Unordered = s.Config.FailOnRace, s.Config.FailOnRace, s.Config.Observes()
	c.Alike = func(entry uint64) *static.Code {
		return static.Alike(s.Image.File, entry, func(addr uint64) static.Trust {
			b, ok := s.roles[addr]
			alike, args := b.Alike()
			return static.Trust{Carried: ok, Alike: alike, Ends: b.Role == profile.AssertFail, Args: args}
		}, func(addr uint64) (uint64, bool) {
			return s.Machine.Read64(addr), s.Machine.Prot(addr) == emu.ProtRead && s.Machine.Prot(addr+7) == emu.ProtRead
		})
	}
	if s.Config.KeepGoing {
		c.LetThrough = func(*scheduler.Failure) bool { return true }
	} else if len(s.Config.Ignore) > 0 {
		c.LetThrough = func(f *scheduler.Failure) bool {
			_, ignored := s.Ignores(f)
			return ignored
		}
	}
	return c
}

func (s *Session) libraryConfig() library.Config {
	c := library.Config{
		AnyTimeout: s.Config.Timeouts == config.TimeoutsAny,
		Trusted:    s.Config.TrustedRoles(),
		Counted:    config.RolesOf(append(s.counted, s.Config.Trust...)),
		Profile:    s.profile,
		Native:     s.Config.NativeSync || len(s.Config.LocksTested) > 0,
		NoMerge:    s.Config.Unmerged(),

		OrderedOutput: s.Config.ObserveStdout,
	}
	return c
}
