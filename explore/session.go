package explore

import (
	"errors"
	"fmt"

	"landgo/emu"
	"landgo/explore/config"
	"landgo/explore/limits"
	"landgo/image"
	"landgo/kernel"
	"landgo/por"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// session is one guest, booted and under control: a machine with its kernel
// and scheduler, standing at the root of its state space.
type session struct {
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
	twins []*session
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

func newSession(cfg config.Config, img *image.Image, w *limits.Watch) *session {
	return &session{cfg: cfg, img: img, platform: platformOf(img.Kernel), limits: w, clock: w.Clock(cfg.ProcessorTime)}
}

// open loads the guest and makes its first thread. The caller closes the
// session, also with an error. Without limits nothing ends it early.
func open(cfg config.Config, w *limits.Watch) (*session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	img, err := image.Open(cfg.Guest)
	if err != nil {
		return nil, imageError(cfg.Guest, err)
	}
	s := newSession(cfg, img, w)
	if len(cfg.Trust) > 0 && !s.platform.testsLibrary {
		return nil, result.Errorf(result.Usage, "--trust is for thread libraries on pebbles; on %s the C library's functions are trusted anyway", img.Kernel)
	}
	if err := s.readProfile(); err != nil {
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
		for _, fill := range scheduler.Fills(img)[1:] {
			t := newSession(cfg, img, w)
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
func (s *session) begin() error {
	err := s.beginOnce()
	var damaged *damagedError
	if !errors.As(err, &damaged) {
		return err
	}
	s.notes = append(s.notes, damaged.Error())
	s.afresh = true
	s.machine.Close()
	return s.beginOnce()
}

func (s *session) beginOnce() (err error) {
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
func (s *session) anew(known *scheduler.Knowledge) error {
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
func (s *session) another() (*session, error) { return open(s.cfg, s.limits) }

func (s *session) close() {
	for _, t := range s.twins {
		t.close()
	}
	if s.machine != nil {
		s.limits.MayHalt(s.machine, false)
		s.machine.Close()
	}
}

// pools reports whether there are tested allocators to follow.
func (s *session) pools() bool {
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
func (s *session) uniprocessor() bool {
	switch s.cfg.Processors {
	case config.ProcessorsUP:
		return true
	case config.ProcessorsSMP:
		return false
	}
	return s.platform.uniprocessor
}

func (s *session) schedulerConfig() scheduler.Config {
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

// granularity is where the guest stops, given kinds of points and instructions.
func (s *session) granularity(points config.Points, race []uint64) scheduler.Granularity {
	g := scheduler.Granularity{Race: race}
	if points.Has(config.PointRace) && len(race) == 0 {
		// Those that race aren't known yet: whoever follows a schedule has to be
		// able to stop at all.
		points |= config.PointMem
	}
	for _, k := range []struct {
		from config.Points
		to   scheduler.Points
	}{
		{config.PointLock, scheduler.PointLock}, {config.PointUnlock, scheduler.PointUnlock},
		{config.PointAtomic, scheduler.PointAtomic}, {config.PointSync, scheduler.PointSync}, {config.PointMem, scheduler.PointMem},
		{config.PointCLI, scheduler.PointCLI}, {config.PointSTI, scheduler.PointSTI},
	} {
		if points.Has(k.from) {
			g.Points |= k.to
		}
	}
	if g.Points&scheduler.PointMem != 0 && s.platform.interrupts {
		// Accesses in a section without interrupts have their point before it.
		g.Points |= scheduler.PointCLI
	}
	if g.Points&(scheduler.PointLock|scheduler.PointUnlock) != 0 && s.noRoles() && !s.platform.annotated {
		// Without symbols, lock and unlock mean futex calls, which are always
		// steps of their own, and locked instructions.
		g.Points |= scheduler.PointAtomic
	}
	for _, r := range s.cfg.AllRules() {
		g.Rules = append(g.Rules, scheduler.Rule{Function: r.Function, Within: !r.Without})
	}
	return g
}

// inputs is what the guest reads, as a run or a replay gives it.
type inputs struct {
	stdin []byte
	// contents are standard input, then the files in the configuration's order: all
	// that a schedule depends on (Config.Check).
	contents [][]byte
}

// boot makes the kernel and runs the guest to its first preemption point.
func (s *session) boot() error {
	in, err := s.readInputs()
	if err != nil {
		return err
	}
	s.inputs = in.contents
	s.check = s.cfg.Check([]byte(s.img.SHA256), in.contents...)
	return s.platform.boot(s, in)
}

// startProgram runs a program up to its first preemption point, on a kernel that has
// loaded it.
func (s *session) startProgram(k kernel.Kernel, regs *emu.Regs) {
	s.kern = k
	s.plain.Boot(k, s.roles, regs)
	if s.pools() {
		s.plain.OwnMemory(s.profile.Allocators)
	}
}

// argv is the guest's argument vector. Its first element is fixed, for what a
// guest does must not depend on where its file lies.
func (s *session) argv() []string { return append([]string{"guest"}, s.cfg.Args...) }

// maxInput bounds what a guest is given to read: it is kept in memory.
const maxInput = 256 << 20

// readInputs reads standard input and the files.
func (s *session) readInputs() (in *inputs, err error) {
	in = &inputs{stdin: s.cfg.Input}
	if s.cfg.Stdin != "" {
		if in.stdin, err = result.ReadFile(s.cfg.Stdin, maxInput); err != nil {
			return nil, err
		}
	}
	in.contents = append(in.contents, in.stdin)
	for _, f := range s.cfg.Files {
		b := f.Content
		if f.Host != "" {
			if b, err = result.ReadFile(f.Host, maxInput); err != nil {
				return nil, err
			}
		}
		in.contents = append(in.contents, b)
	}
	return in, nil
}

// checkRules refuses --within and --without of a function that isn't there: a
// restriction that can't match would silently restrict nothing, or everything.
func (s *session) checkRules() error {
	for _, r := range s.cfg.AllRules() {
		if _, ok := s.img.Symbol(r.Function); !ok {
			var names []string
			for _, f := range s.img.Functions() {
				names = append(names, f.Name)
			}
			return &invalid{kind: result.NoSuchFunction,
				reason: fmt.Sprintf("--%s: the guest has no function of that name%s", r, config.DidYouMean("%q", r.Function, names))}
		}
	}
	return nil
}

// invalid is a guest that can't be controlled, found before it runs.
type invalid struct {
	kind   result.ErrorKind
	reason string
}

func (e *invalid) Error() string { return e.reason }

// verdictOf puts an error of a session or a search into a result, where it is
// a verdict; otherwise it returns the error.
func (s *session) verdictOf(err error, r *result.Result) error {
	var inv *scheduler.InvalidError
	var pre *invalid
	var budget *scheduler.BudgetError
	var endless *por.EndlessError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &endless):
		r.Verdict, r.Problem, r.Reason = result.Budget, result.Endless, endless.Error()
	case errors.As(err, &pre):
		r.Verdict, r.Reason, r.Problem = result.Invalid, pre.reason, pre.kind
	case errors.As(err, &inv):
		r.Verdict, r.Reason, r.Problem = result.Invalid, inv.Reason, gapProblems[inv.Gap]
		r.Place = s.place(inv.Thread, inv.PC)
	case errors.Is(err, scheduler.ErrStopped):
		r.Verdict, r.Problem, r.Reason = result.Budget, s.limits.Reached(), "interrupted while the kernel booted"
		if r.Problem != result.Interrupted {
			r.Reason = s.cfg.LimitText(r.Problem) + ", and the kernel still boots"
		}
	case errors.As(err, &budget):
		r.Verdict, r.Problem = result.Budget, tooLong(budget)
		r.Reason = budget.Error()
		r.Place = s.place(budget.Thread, budget.PC)
	default:
		return err
	}
	return nil
}
