package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/explore/races"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
)

// hunt is one search of a state space for bugs. It is the por.Observer.
type hunt struct {
	most uint64 // steps that the search may have; 0: any number
	// leaves, if not 0, is after how many steps the search leaves an execution, to look for
	// bugs in others. It proves nothing then.
	leaves int
	*session.Session
	obs    Observer
	lender Lender // nil: the search isn't lent
	result *result.Result

	seen     map[string]*finding
	found    []*finding // distinct ones, in the order found
	stats    por.Stats
	share    float64
	sized    uint64 // the executions of the search whose share that is; 0: all
	moves    por.Moves
	stopped  result.ErrorKind // why the search was stopped early
	finer    bool             // since then, steps became finer
	lastTold time.Time
	watched  *races.Watched
	// whole saw every execution of the space that a verdict of verified is about; nil: none did.
	whole  *races.Watched
	checks [][]por.PathStep // executions to run again, for --self-check
	crew   *crew            // nil for a search that isn't divided
	// failedAt is the guest in which a divided search failed.
	failedAt *session.Session
	saved    []saved.Race // of the checkpoint that the search goes on from
	// savedTriangular are its triangular races.
	savedTriangular []race.Triangle
	savedStores     []uint64
	outcomes        outputs
	// sampling takes samples with store buffers, once (sampled.go); nil: there are to be none, or
	// they were taken.
	sampling func() (*result.Result, error)
	// stately searches by states with store buffers, for this many steps (bufferstates.go); nil:
	// never. It is due after nextStates steps of this search.
	stately    func(most uint64) (*result.Result, error)
	nextStates uint64
	foresight  foresight
	// instead is the result of one of these, which takes the place of this search's; nil: neither had one.
	instead    *result.Result
	insteadErr error
}

// finding is a bug, with the execution that showed it.
type finding struct {
	failure     scheduler.Failure
	key         string
	path        []por.PathStep
	schedule    trace.Schedule       // the same, however fine the steps are
	known       *scheduler.Knowledge // with which another guest found it; nil: the hunt's own did
	preemptions int
	minimal     result.Minimal
	told        *result.Bug    // as it is shown until there is more, nil: nothing yet
	fresh       bool           // path is of the search under way
	strayed     bool           // path isn't the bug's any more; schedule is
	job         *deepen.Job    // that found it
	config      *config.Config // with which it is reported, nil for the hunt's
	refined     []*counted     // what refining it has cost
}

// own reports whether the bug's execution ends with it. A race, and an output that
// isn't that of another execution, are seen by the user; an error that was let through
// lies on the way.
func (f *finding) own() bool {
	return f.failure.Kind != trace.Race && f.failure.Kind != trace.Output && !f.passed()
}

// passed: it is an error that the execution goes past.
func (f *finding) passed() bool { return f.failure.At != 0 }

func ticksBound(n uint64) string { return fmt.Sprintf("ticks=%d", n) }

// ascends reports whether a search with a bound explores its values in order, and
// soundly.
func ascends(s por.Spec) bool { return s.Claim() == por.Everything && !s.Kind().Unordered }

// counts puts a search's counts and estimate into the result.
func (h *hunt) counts(stats por.Stats) {
	r := h.result
	r.SearchSeconds = h.Clock.Elapsed().Seconds()
	r.Executions, r.AssumedAway, r.Blocked, r.Pruned = stats.Executions, stats.Assumed, stats.Blocked, stats.Pruned
	r.Transitions, r.Replayed = stats.Transitions, stats.Replayed
	r.Distinct = stats.Distinct
	if stats.Distinct > 0 {
		return // samples say nothing of how many executions there are
	}
	if stats.Complete {
		h.share = 1
	}
	size := h.sized
	if size == 0 || stats.Complete {
		size = stats.Executions
	}
	least, most := h.moves.Range(size, h.share)
	if h.share == 1 {
		least, most = float64(size), float64(size)
	}
	r.Estimate = result.Estimate{
		Executions: result.Total(float64(size), h.share), Explored: result.Amount(h.share),
		Least: result.Amount(least), Most: result.Amount(most), Rises: h.share < 1 && h.moves.Rises(size, h.share),
		SecondsLeft: result.Rest(h.Clock.Elapsed().Seconds(), h.share),
	}
}

// Ended implements por.Observer.
func (h *hunt) Ended(x *por.Execution) bool {
	h.result.Threads = max(h.result.Threads, threadsIn(x.Threads))
	if x.Ending <= por.EndedStuck {
		h.endMet(x)
	}
	if h.Config.SelfCheck && len(h.checks) < selfCheckRuns && x.Ending <= por.EndedStuck {
		h.checks = append(h.checks, x.Path(nil))
	}
	h.letThrough(x)
	f := h.failureAt(x)
	if f != nil && f.Left {
		return true
	}
	if f != nil {
		if rule, ignored := h.ignores(f); ignored {
			h.outcomes.ignore(rule)
			return true
		}
	}
	if f == nil {
		if x.Ending <= por.EndedStuck {
			h.note(x)
		}
		return !h.raced() || h.Config.KeepGoing
	}
	h.keep(f, x)
	return h.Config.KeepGoing
}

// threadsIn is how many of a state's threads are the guest's.
func threadsIn(list []trace.Thread) (n int) {
	for i := range list {
		if !list[i].Updates && !list[i].Arrives {
			n++
		}
	}
	return n
}

// endMet notes what an execution that ended met.
func (h *hunt) endMet(x *por.Execution) {
	wrote := ""
	if h.result.Threads < 2 {
		wrote = story.FirstLine(h.Session)
	}
	h.Guest.End(wrote, x.Ending == por.EndedStuck)
}

// failureAt is the bug with which an execution ended, or nil.
func (h *hunt) failureAt(x *por.Execution) *scheduler.Failure {
	switch x.Ending {
	case por.EndedBug:
		return h.Guest.Failure(x.Last.Thread)
	case por.EndedStuck:
		return h.Guest.Stuck(false)
	case por.EndedProcess:
		return h.Guest.Stuck(true)
	}
	return nil
}

// keep remembers a bug if it is a new one, or its execution has fewer
// preemptions than the one known.
func (h *hunt) keep(f *scheduler.Failure, x *por.Execution) {
	if old := h.seen[h.key(f)]; old == nil || x.Preemptions < old.preemptions {
		h.keepAt(f, x.Path(nil), x.Preemptions)
	}
}

// keepAt is keep, for a path with this many preemptions.
func (h *hunt) keepAt(f *scheduler.Failure, path []por.PathStep, preemptions int) {
	key := h.key(f)
	old := h.seen[key]
	if old != nil && old.preemptions <= preemptions {
		return
	}
	if old == nil {
		old = &finding{key: key}
		h.seen[key] = old
		h.found = append(h.found, old)
	}
	old.failure, old.preemptions = *f, preemptions
	old.path = append(old.path[:0], path...)
	old.fresh = true
	old.told = nil
	h.publish()
}

// key tells distinct bugs apart: their kind, message and places, but not the interleaving. The
// place of a thread that spins is that of its loop's reads, because it may stand anywhere in the loop.
func (h *hunt) key(f *scheduler.Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", f.Kind, f.Message)
	if len(f.Waits) == 0 {
		fmt.Fprintf(&b, " %s", h.PlaceName(f.PC))
	}
	for _, w := range f.Waits {
		fmt.Fprintf(&b, " %s@", w.String())
		if !w.Spins {
			b.WriteString(h.PlaceName(h.Guest.PC(w.Thread)))
		}
		for i := range w.Reads {
			b.WriteString(" " + h.PlaceName(w.Reads[i].PC))
		}
	}
	return b.String()
}

// Progress implements por.Observer.
func (h *hunt) Progress(p por.Progress) {
	h.share = p.Share
	h.stats = p.Stats
	h.moves.Note(p.Stats.Executions, p.Share)
	if h.Config.Buffers() && len(h.found) == 0 {
		h.sample(steps(p.Stats))
		h.tryStates(steps(p.Stats))
	}
	if now := time.Now(); now.Sub(h.lastTold) >= 200*time.Millisecond {
		h.lastTold = now
		h.tell(p)
	}
}

func (h *hunt) tell(p por.Progress) {
	if h.obs == nil {
		return
	}
	elapsed := h.Clock.Elapsed()
	out := Progress{
		Phase: "searching", Executions: p.Stats.Executions, Blocked: p.Stats.Blocked, Pruned: p.Stats.Pruned,
		Transitions: p.Stats.Transitions, Bugs: len(h.found), Elapsed: elapsed, Explored: p.Share,
	}
	if p.Stats.Distinct > 0 {
		out.Explored = 0 // the share is of the runs to make
	} else {
		out.Estimate = result.Total(float64(p.Stats.Executions), p.Share)
	}
	out.Left = result.Rest(elapsed.Seconds(), p.Share).Seconds()
	out.Rises = out.Estimate > 0 && h.moves.Rises(p.Stats.Executions, p.Share)
	h.obs.Progress(out)
}

// stop is polled by the search.
func (h *hunt) stop() bool {
	switch {
	case h.raced() && !h.Config.KeepGoing:
	case h.instead != nil || h.insteadErr != nil:
	case h.most > 0 && steps(h.stats) > h.most:
		h.stopped = result.OutOfExecutions
	default:
		why := h.Limits.Unwanted()
		if why != "" {
			h.stopped = why
		}
		return why != ""
	}
	return true
}

func (h *hunt) stopReason() string {
	if text := h.Config.LimitText(h.stopped); text != "" {
		return text
	}
	h.result.Problem = result.OutOfExecutions
	return fmt.Sprintf("%d executions were run, as many as --max-executions allows", h.stats.Executions)
}

// Restarted implements por.Observer: what was found so far will be found
// again, with finer steps.
func (h *hunt) Restarted() {
	clear(h.seen)
	h.found = h.found[:0]
	h.checks = nil
	h.outcomes = outputs{}
	h.ForgetPoints()
	if h.watched != nil {
		h.watched.Restart()
	}
}

// provenWithin reports whether search bpor is proven for the guest. Its conservative backtrack
// points are at the starts of blocks of a thread's steps (Coons, Musuvathi and McKinley 2013, §4).
// Steps that cost nothing come within blocks: those of store buffers, and of signals on their way.
// With these it was seen to miss traces.
func (h *hunt) provenWithin() bool { return !h.Config.Buffers() && !h.Guest.Seen().Met.Later }

// withinBounds is the search within bounds that is proven for the guest, and has the fewest
// executions.
func (h *hunt) withinBounds() string {
	if h.provenWithin() {
		return "bpor"
	}
	return "bounded"
}

// detectors are new ones for a job: what it leaves out depends on its points. A
// job that proves something by itself leaves nothing out that they would know.
func detectors(s *session.Session, j *deepen.Job) *races.Watched {
	own := *s
	own.Config.PP = j.Set.Kinds
	w := races.Watch(&own)
	w.Blind = s.Config.Race == config.RaceOff && !s.Config.Seeded() && len(s.Config.AllRules()) == 0
	return w
}

// as does something with the preemption points with which a bug is reported.
func (h *hunt) as(f *finding, do func() error) error {
	if f.config == nil {
		return do()
	}
	all, own := h.Session, *h.Session
	own.Config = *f.config
	own.Check = own.Config.Check([]byte(own.Image.SHA256+own.Image.PartsDigest()), own.Inputs...)
	var err error
	if own.Racing, err = own.RacePlaces(); err != nil {
		return err
	}
	h.Session = &own
	h.Guest.Rewind(h.Root)
	h.Guest.SetGranularity(own.Granularity(own.Config.PP, own.Racing))
	err = do()
	h.Session = all
	h.Guest.Rewind(h.Root)
	h.Guest.SetGranularity(all.Granularity(all.Config.PP, all.Racing))
	return err
}

// passes reports whether a path has steps that went on past points.
func passes(path []por.PathStep) bool {
	return slices.ContainsFunc(path, func(p por.PathStep) bool { return p.Stride != 0 })
}
