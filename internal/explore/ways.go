package explore

import (
	"math"
	"slices"

	"landgo/internal/explore/story"
	"landgo/por"
	"landgo/race"
)

// Beside its jobs, an iterative deepening looks for bugs in ways that prove nothing:
// samples of the whole program, with a point before every access. Depth-first search
// varies the end of an execution first. Where a program has many threads, a shallow
// bug can lie far from all that it varies in hours, and be in one of a dozen
// samples. Thomson, Donaldson and Betts (PPoPP 2014) measured that on 52 programs.
//
// The ways share a second guest. So what they learn of shared memory doesn't void the jobs'
// steps, and the jobs run as they would without them. Each has slices of a number of steps,
// in turn; a search is left between two executions and goes on from there. The first slices
// come as soon as the first job turns out not to be tiny. Then the ways have every other
// step until each has firstSamples executions, or all have had firstSteps.
// From then on they have one in waysShare; or, where they have found more bugs a step than
// all else (--keep-going), in gainShare. All that is counted in steps and instructions, so
// that it is the same on every machine.
//
// A sample costs its steps only: neither clocks nor race detectors look on
// (por.Options.Uncounted). One that doesn't end is cut off. As long as all are, one in three
// of the way's next ones may be longer. A long program's bug may come early, and many starts
// find that; and there are samples whose steps are longer (stride.go). An error in a sample (a
// call that isn't modelled, a step without an end) ends its way, and is no verdict:
// the jobs find it if it matters.
type ways struct {
	*hunt
	list   []*way
	slices int       // given so far
	steps  uint64    // and instructions, see stepInsns
	counts por.Stats // of all executions, those before points became finer too
	gained int       // bugs that they were the first to find
	racing []uint64  // instructions that the jobs have seen to race, ascending
}

// way is one of them.
type way struct {
	search string
	tree   []byte // where it was left
	over   bool
	stats  por.Stats // since it began
	most   int       // steps that its next execution may have
	reach  int       // the most that any might have
	cuts   int       // slices in which all were cut off
	stride *stride   // nil: steps end at each point
}

// samplers are the ways, in the order of their slices. They are distinguished by what they find
// soon: any order, rare orders of conflicting accesses, few changes of priority. In every second run
// the first draws from roles, and in every third threads take turns at locks.
var samplers = []string{"random:roles=2,gates=3", "pos", "pct:d=2", "pct:d=3"}

const (
	// waysShare: one step in this many is the ways'. gainShare is that where they find more than
	// others.
	waysShare, gainShare = 16, 4
	// firstSamples is how many executions each way has soon, with one step in firstShare.
	firstSamples, firstShare = 64, 2
	// firstSteps is how many steps they have for that.
	firstSteps = 1 << 18
	// firstSlice and laterSlice are how many steps a way has at a time, or more: an
	// execution is run to its end.
	firstSlice, laterSlice = 8_192, 32_768
	// longestSample is how many steps an execution may have at first, and mostSample at the
	// most. Those that may be longer have longerSample times as many each time.
	longestSample, longerSample, mostSample = 20_000, 8, 1_280_000
	// sampleRuns is more than a way ever runs.
	sampleRuns = "runs=1000000000"
)

// try begins the ways, if that is of use. Without room for a second guest there are
// none.
func (d *deepening) try() {
	if d.ways != nil || !d.accompanied() {
		return
	}
	d.ways = &ways{}
	s, err := d.Another()
	if err != nil {
		if s != nil {
			s.Close()
		}
		return
	}
	d.ways.hunt = besides(s)
	for _, name := range samplers {
		d.ways.list = append(d.ways.list, &way{search: withOption(name, sampleRuns), most: longestSample, reach: longestSample})
	}
}

// withOption is a search with one more option.
func withOption(search, option string) string {
	if spec, err := por.ParseSpec(search + "," + option); err == nil {
		return spec.String()
	}
	return search + ":" + option
}

// letWays lets the ways have their share.
func (d *deepening) letWays() {
	if d.settled() || d.stop() {
		return
	}
	d.try()
	w := d.ways
	if w.open() {
		w.racing = d.racing()
	}
	for w.open() && !d.settled() && w.due(d.steps, len(d.found)) {
		if !w.slice() {
			return // it was stopped within
		}
		d.takeWays()
	}
}

// due reports whether a slice is due, where the jobs have had this many steps, and this many bugs
// were found in all.
func (w *ways) due(steps uint64, bugs int) bool {
	share := uint64(waysShare)
	if uint64(w.gained)*steps > uint64(bugs-w.gained)*w.steps {
		share = gainShare
	}
	for _, o := range w.list {
		if !o.over && o.stats.Executions < firstSamples && (w.steps < w.pace(firstSteps) || o.stride != nil) {
			share = firstShare
		}
	}
	return w.slices < len(w.list) || w.steps*(share-1) < steps
}

// open reports whether a way is left.
func (w *ways) open() bool {
	if w == nil {
		return false
	}
	for _, o := range w.list {
		if !o.over {
			return true
		}
	}
	return false
}

// endless reports whether samples were made, access by access, and all were cut off.
func (w *ways) endless() (cut bool) {
	for _, o := range w.list {
		if o.stride != nil {
			continue
		}
		if o.stats.Executions > 0 {
			return false
		}
		cut = cut || o.cuts > 0
	}
	return cut
}

// slice gives the next way its slice. It reports whether the slice was run to its
// end.
func (w *ways) slice() bool {
	o, room := w.next(), w.pace(laterSlice)
	if w.slices < len(w.list) {
		room = w.pace(firstSlice)
	}
	w.slices++
	if o.over {
		return true
	}
	run := w.counting(0)
	var sees por.Observer = w
	if o.stride != nil {
		o.stride.aims = w.racing
		run.System = o.stride.over(run.System, w.Guest)
		sees = strides{w.hunt, o.stride}
	}
	before := w.Guest.Seen().Instructions
	cost := func() uint64 { return run.steps + (w.Guest.Seen().Instructions-before)/(stepInsns*w.Platform.StepCost) }
	engine, err := por.New(o.search, por.Options{
		OneEvent: !w.Judged(), Uncounted: true, Longest: o.most, Resume: o.tree,
		WarmUp:  math.MaxUint64, // it isn't divided
		Stop:    w.stop,
		SaveNow: func() bool { return cost() >= room },
		Save:    func(tree []byte) error { o.tree = tree; return errLeft },
	})
	if err != nil {
		panic(err) // it is one of samplers
	}
	w.Guest.Rewind(w.Root)
	var stats por.Stats
	err = w.promptly(func() (err error) {
		stats, err = engine.Run(run, sees)
		return err
	})
	w.Guest.Rewind(w.Root)
	w.steps += cost()
	if stats.Restarts != o.stats.Restarts {
		o.stats = por.Stats{} // it began again, with finer points
	}
	w.counts.Executions += stats.Executions - o.stats.Executions
	w.counts.Assumed += stats.Assumed - o.stats.Assumed
	w.counts.Pruned += stats.Pruned - o.stats.Pruned
	w.counts.Transitions += run.steps
	o.stats = stats
	if stats.Executions == 0 && stats.Pruned > 0 {
		o.cut()
	}
	o.over = err != nil && err != errLeft || stats.Complete
	w.lengthen()
	return w.stopped == ""
}

// next is the way that has the next slice: each in turn. While others are cut off, samples in strides have every other
// one.
func (w *ways) next() *way {
	if n := len(w.list) - 1; w.list[n].stride != nil && w.endless() {
		if w.slices%2 == 0 {
			return w.list[n]
		}
		return w.list[w.slices/2%n]
	}
	return w.list[w.slices%len(w.list)]
}

// cut notes that all samples were cut off so far, and settles how long the next may be.
func (o *way) cut() {
	o.cuts++
	o.most = longestSample
	if o.cuts%3 == 2 {
		o.reach = min(longerSample*o.reach, mostSample)
		o.most = o.reach
	}
}

// takeWays takes over the bugs that the ways have found.
func (d *deepening) takeWays() {
	w := d.ways
	news := false
	for _, f := range w.found {
		if !f.fresh {
			continue
		}
		f.fresh = false
		if d.seen[f.key] != nil {
			continue
		}
		own := &finding{failure: f.failure, key: f.key, preemptions: f.preemptions, known: w.Guest.Knowledge()}
		if own.schedule, d.boundedErr = story.Schedule(w.Session, f.path); d.boundedErr != nil {
			return
		}
		if passes(f.path) {
			d.IsLong(own.schedule)
		}
		own.told = w.brief(own)
		d.seen[f.key] = own
		d.found = append(d.found, own)
		w.gained++
		news = true
	}
	if news {
		d.publish()
	}
	d.takeDiffering()
}

// endWays ends them, and adds what they have met to what the run has.
func (d *deepening) endWays() {
	if w := d.ways; w != nil && w.hunt != nil {
		w.outcomes.schedules(w.hunt, d.shown)
		d.Guest.Seen().Met.Add(&w.Guest.Seen().Met)
		d.result.Threads = max(d.result.Threads, w.result.Threads)
		w.Session.Close()
	}
}

// lengthen adds samples in strides, once all others were cut off.
func (w *ways) lengthen() {
	if !w.open() || !w.endless() || w.Platform.Ticks || w.Config.Buffers() {
		return
	}
	for _, o := range w.list {
		if o.stride != nil || o.cuts == 0 {
			return
		}
	}
	w.list = append(w.list, &way{search: withOption("random", sampleRuns), most: longestSample, reach: longestSample, stride: &stride{}})
}

// racing are the instructions that races were seen of, ascending.
func (d *deepening) racing() (list []uint64) {
	for _, c := range d.races.Candidates() {
		if c.Kind != race.Recycled {
			list = append(list, c.A, c.B)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
