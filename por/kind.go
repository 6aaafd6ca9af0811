package por

import (
	"fmt"
	"strings"
)

// Kind describes a search: what it is called, where it comes from, what it
// proves, and what it can be asked for.
type Kind struct {
	Name string
	// Paper is the source that it follows, with the section or the algorithm.
	Paper string
	// About says in a clause what it leaves out, and how.
	About string
	Claim Claim
	// Bounds are the measures that it may be bounded by, alone or, with Joint,
	// together.
	Bounds []Measure
	Joint  bool
	// NeedsBound: without a bound it isn't a search.
	NeedsBound bool
	// Unordered: it doesn't go by ascending bound, whatever Options.Iterate says.
	Unordered bool
	// WhyNot says why the other bounds are refused.
	WhyNot string
	// Params are the options that follow its name after a colon.
	Params []Param
	// SingleEvents: its steps have to be one event each, which means a
	// preemption point before every access and lock and unlock not merged with
	// anything.
	SingleEvents bool
	// LikesSingle: they are at least where there is a preemption point before every access,
	// because its reduction is better then.
	LikesSingle bool
	// Buffers: it was proven over threads with store buffers (relation/buffer.go).
	Buffers bool
	// AnyBuffers: so it was with any of its options.
	AnyBuffers bool
	// NotForKernels says why the steps of a kernel that schedules its own threads
	// don't suit it, "" if they do.
	NotForKernels string
	// OneByOne: it counts preemptions rightly only where waits run out one at a time.
	OneByOne bool
	// arrivals: signals that arrive later suit it all the same.
	arrivals bool

	// awaits: it knows steps that are possible only with some values in memory, with its
	// options at their defaults. endsLate: it knows those that come last.
	// parks: it knows threads that stop for good where they have gone round a loop for nothing.
	awaits, endsLate, parks bool
	// observes: its System is made into one in which only what is read has an order
	// (observers.go).
	observes bool
	// sources: and in which a load has an order only with what it finds (sources.go).
	sources bool
	// whole says why it can't be split among workers (workers.go), "" if it can,
	// with some options at least.
	whole string
	// warmUp, if not 0, is how many steps it makes before it is split.
	warmUp uint64
	// strategy makes the search out of the walk that most searches share.
	strategy func(handle) strategy
	// run is a walk of its own, where strategy is nil.
	run func(sys System, obs Observer, s Spec, opts Options) (Stats, error)
	// lent reads units of a part (away.go), where they aren't a tree's.
	lent func(s Spec, opts Options, w Worker, u *unpacker, n int) borrowed
}

// Claim is the conclusion of a search that has finished without a bug.
type Claim uint8

const (
	// Everything: there is no bug in the whole space, or within the bound if
	// there is one.
	Everything Claim = iota
	// Nothing: it samples, or isn't sound.
	Nothing
)

// Param is an option of a search, a number.
type Param struct {
	Name    string
	Default uint64
	Least   uint64
	Most    uint64 // 0: no limit
	Help    string
	// sparing: with other values than its default the search is spared polls all the same.
	sparing bool
	// proves, if not nil, says with which values the search proves what its Kind claims.
	proves func(uint64) bool
}

// wants says which numbers an option takes.
func (p *Param) wants() string {
	if p.Most > 0 {
		return fmt.Sprintf("a number from %d to %d", p.Least, p.Most)
	}
	return fmt.Sprintf("a number of %d or more", p.Least)
}

// beyond is why most reductions refuse every bound.
const beyond = "it leaves out executions for others that may be beyond the bound (Coons, Musuvathi and McKinley 2013, Fig. 1)"

// anyCounted are the measures of meter.go.
var anyCounted = []Measure{Preempt, Fair, Delay, Switches}

// unbounded is why sampling refuses every bound.
const unbounded = "it samples executions of all kinds, and proves nothing within a bound either"

// Why searches can't be split.
const (
	cutOff   = "where its bound cuts something off decides what else has to be run, and one worker knows that only of its own part"
	oneTable = "all parts would need one table of states"
	cellular = "which stores have an order is learned in one place"
	futures  = "what each thread may still do is learned in one place"
	demands  = "what each branch of a state demands has to be known in one place"
	wakeful  = "without sleep sets the number of executions depends on the order of branches"
	// strangers: what tells two threads apart may be seen in two parts, half in each.
	strangers = "what tells threads apart has to be seen in one place"
	onlookers = "which bytes nothing reads has to be seen in one place"
)

var optimised = Param{Name: "optimised", Default: 1, Most: 1, Help: "1: conservative backtrack points only where the bound cut something off; 0: wherever the paper has them"}

var early = Param{Name: "early", Default: 1, Most: 1, sparing: true, Help: "1: also executions that end, or stop, with threads that need more rounds to go on; 0: drops these as its paper does, is faster, and proves nothing",
	proves: func(v uint64) bool { return v == 1 }}

var lazyCut = Param{Name: "cut", Default: cutSound, Most: cutPrinted, Help: "1: refuses a step when all traces that go on from it are beyond the bound. 0: refuses nothing on the way. 2: refuses as its paper does, and proves nothing",
	proves: func(v uint64) bool { return v != cutPrinted }}

var commute = Param{Name: "commute", Default: 1, Most: 1, sparing: true, Help: "1: increments and other read-modify-writes whose results aren't used, and arrivals at a barrier, have one order. So have additions to counts that stay above zero (references taken and given back). 0: each of their orders is run (conditional independence: Godefroid 1996, ch. 3)"}

var symmetry = Param{Name: "symmetry", Most: 1, sparing: true, Help: "1: threads that nothing tells apart take their first steps in the order of their creation. It is proven of their code, and watched in each execution (symmetry reduction: Emerson and Sistla 1996; threads alike: Kokologiannakis, Marmanis and Vafeiadis, PLDI 2024)"}

var unread = Param{Name: "unread", Most: 1, sparing: true, Help: "1: stores by several threads to bytes that nothing reads have one order. Which bytes nothing reads is watched in each execution (conditional independence: Godefroid 1996, ch. 3)"}

var marked = Param{Name: "mark", Most: 1, Help: "1, with figure=3: where the paper adds every thread, a new persistent set is begun in place of that (its optimization 2)"}

var promised = Param{Name: "static", Most: 2, Help: "1: within static persistent sets, from what each thread may still do, byte by byte; 2: the same, and a variable is one object, with all its elements. What threads do is checked, and where it is more than was assumed the search begins again"}

// kinds lists the searches, in the order in which they are explained to users.
var kinds = []Kind{
	{Name: "none", Buffers: true, Paper: "no reduction (Flanagan and Godefroid 2005, §6, the baseline)", About: "runs every interleaving",
		Bounds: anyCounted, Joint: true, strategy: newExhaustive},
	{Name: "bounded", Buffers: true, Paper: "Musuvathi and Qadeer, PLDI 2007; Emmi, Qadeer and Rakamaric, POPL 2011; Coons, Musuvathi and McKinley, OOPSLA 2013, §2.5", About: "runs every interleaving within the bound, by ascending bound",
		Bounds: anyCounted, Joint: true, NeedsBound: true, WhyNot: "its walk can't count that", strategy: newBounded},
	{Name: "bpor", Paper: "Coons, Musuvathi and McKinley, OOPSLA 2013, Algorithms 2, 3 and 4", About: "dpor, with more backtrack points where the bound may have cut off other points' executions",
		Bounds: []Measure{Preempt, Fair}, Joint: true, NeedsBound: true, WhyNot: "its conservative backtrack points are for preemptions and the fair bound",
		Params: []Param{
			{Name: "sleep", Default: 1, Most: 1, Help: "1: with sleep sets"},
			optimised,
		}, whole: cutOff, strategy: newBPOR},
	{Name: "naive-bpor", Paper: "Nidhugg thesis (Sachinoglou 2018), Algorithm 5", About: "source, refusing steps beyond the bound; isn't sound", Claim: Nothing,
		Bounds: []Measure{Preempt}, NeedsBound: true, WhyNot: "its paper has it for preemptions only", whole: cutOff, strategy: newNaiveBPOR},
	{Name: "nidhugg-bpor", Paper: "Nidhugg thesis (Sachinoglou 2018), Algorithm 12", About: "nidhugg, with conservative backtrack points at the starts of blocks",
		Bounds: []Measure{Preempt}, NeedsBound: true, WhyNot: "its paper has it for preemptions only", Params: []Param{optimised}, whole: cutOff, strategy: newNidhuggBPOR},
	{Name: "source-bpor", Paper: "Nidhugg thesis (Sachinoglou 2018), Algorithm 13", About: "source, with conservative backtrack points at the starts of blocks",
		Bounds: []Measure{Preempt}, NeedsBound: true, WhyNot: "its paper has it for preemptions only", Params: []Param{optimised}, whole: cutOff, strategy: newSourceBPOR},
	{Name: "lazy-bpor", OneByOne: true, Paper: "Nidhugg thesis (Sachinoglou 2018), Algorithms 10 and 11", About: "source, leaving out traces without a linearisation within the bound", NotForKernels: "it doesn't know that a step may keep others from running, by their priority", Unordered: true, LikesSingle: true,
		Bounds: []Measure{Preempt}, NeedsBound: true, WhyNot: "its paper has it for preemptions only", Params: []Param{
			{Name: "prefixes", Default: 1 << 20, Least: 1, Help: "how many prefixes of a trace are examined for its least preemptions; a trace that needs more counts as within the bound. A small number is a heuristic for large traces: it lets in too many, never too few"},
			lazyCut,
			{Name: "blocks", Most: 1, Help: "1: the estimate of its paper, the cheapest order of the execution's blocks, which are never divided; it leaves out traces within the bound, and proves nothing",
				proves: func(v uint64) bool { return v == 0 }},
		}, whole: cutOff, strategy: newLazyBPOR},
	{Name: "sleep", Buffers: true, Paper: "sleep sets (Godefroid 1996, ch. 5)", About: "leaves out steps whose reorderings were all explored",
		WhyNot: "a thread asleep at one number of preemptions may be needed at a lower one (Coons, Musuvathi and McKinley 2013, Fig. 1)", Params: []Param{commute, symmetry, unread}, strategy: newSleep},
	{Name: "stateful", Buffers: true, AnyBuffers: true, Paper: "stateful search (Flanagan and Godefroid 2005, §5), sleep sets with states (Godefroid 1996, ch. 5)", About: "runs no step of a state twice; its memory grows with the number of states", NotForKernels: "the future effects of ticks aren't in the hash of a state", arrivals: true,
		WhyNot: "the rest of a bound differs between two ways to a state", Params: []Param{
			{Name: "sleep", Default: 1, Most: 1, Help: "1: with sleep sets, 0: without"},
		}, whole: oneTable, strategy: newStateful},
	{Name: "dpor", Buffers: true, Paper: "Flanagan and Godefroid, POPL 2005", About: "adds backtrack points where executions race",
		WhyNot: beyond, awaits: true, Params: []Param{
			{Name: "figure", Default: 5, Least: 3, Most: 5, Help: "3: happens-before by a search through the stack, with the refinement of line 5; 4: by clock vectors; 5: objects' last accesses, reads and writes told apart"},
			marked,
			promised,
			{Name: "dynamic", Default: 1, Most: 1, Help: "0, with static: all of each static persistent set is explored"},
			{Name: "sleep", Default: 1, Most: 1, Help: "1: with sleep sets, 0: without"},
		}, strategy: newDPOR},
	{Name: "classic", Paper: "Nidhugg thesis (Sachinoglou 2018), Algorithm 6, after Flanagan and Godefroid, Fig. 4", About: "adds backtrack points before it schedules; persistent sets, without sleep sets",
		WhyNot: beyond, whole: wakeful, strategy: newClassic},
	{Name: "nidhugg", Paper: "Nidhugg thesis (Sachinoglou 2018), Algorithm 7", About: "as source, but its backtrack sets are persistent sets",
		WhyNot: beyond, awaits: true, strategy: newNidhugg},
	{Name: "source", Buffers: true, Paper: "Abdulla, Aronis, Jonsson and Sagonas, POPL 2014, Algorithm 1", About: "backtracks within source sets",
		WhyNot: beyond, awaits: true, parks: true, Params: []Param{commute, symmetry, unread}, strategy: newSource},
	{Name: "optimal", Buffers: true, Paper: "Abdulla, Aronis, Jonsson and Sagonas, POPL 2014, Algorithm 2; JACM 2017", About: "runs each trace once, by wakeup trees",
		WhyNot: beyond, awaits: true, endsLate: true, parks: true, Params: []Param{commute, symmetry, unread}, warmUp: optimalWarmUp, strategy: newOptimal},
	{Name: "observers", Paper: "Aronis, Jonsson, Lång and Sagonas, TACAS 2018", About: "optimal; stores have an order only where a read tells which was the last", Claim: Nothing, NotForKernels: "their steps are more than one event",
		WhyNot: beyond, SingleEvents: true, observes: true, whole: cellular, strategy: newOptimal},
	{Name: "readsfrom", Paper: "Abdulla, Atig, Jonsson, Lång, Ngo and Sagonas, OOPSLA 2019", About: "optimal; loads and stores have an order only where a load finds the store", Claim: Nothing, NotForKernels: "their steps are more than one event",
		WhyNot: beyond, SingleEvents: true, observes: true, sources: true, whole: cellular, strategy: newOptimal},
	{Name: "trust", Paper: "Kokologiannakis, Marmanis, Gladstein and Vafeiadis, POPL 2022", About: "builds each execution graph once, by revisits; memory linear in the graph", NotForKernels: "their steps are more than one event",
		WhyNot: beyond + "; within rounds: rounder", SingleEvents: true, awaits: true, run: runTrust, lent: borrowGraphs},
	{Name: "rounder", Paper: "Marmanis and Vafeiadis 2023, Algorithm 2 with the check of §IV", About: "trust within a number of round-robin rounds", NotForKernels: "their steps are more than one event",
		Bounds: []Measure{Rounds}, NeedsBound: true, WhyNot: beyond, SingleEvents: true, awaits: true, Params: []Param{early}, run: runTrust, lent: borrowGraphs},
	{Name: "random", Buffers: true, Paper: "random walk", About: "samples: any ready thread takes the next step", Claim: Nothing,
		WhyNot: unbounded, Params: sampled(byRole, gated), strategy: newRandom, run: runSampling, lent: borrowSamples},
	{Name: "pct", Buffers: true, Paper: "Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010", About: "samples: random priorities, with d-1 changes; a run meets a bug of depth d with a probability of 1/(n k^(d-1)) or more", Claim: Nothing,
		WhyNot: unbounded, Params: sampled(Param{Name: "d", Default: 3, Least: 1, Most: 1000, Help: "depth of the bugs aimed at"}), strategy: newPCT, run: runSampling, lent: borrowSamples},
	{Name: "pos", Buffers: true, Paper: "Yuan, Yang and Gu, CAV 2018", About: "samples: random priorities of events, drawn again where they race", Claim: Nothing,
		WhyNot: unbounded, Params: sampled(), strategy: newPOS, run: runSampling, lent: borrowSamples},
}

// byRole is an option of random.
var byRole = Param{Name: "roles", Most: 1 << 20, Help: "n: in every n-th run, where more than four threads can run, a function that some of them began with is drawn first, then one of these threads. So one thread among a hundred alike takes as many steps as all these. 0: in none"}

// gated is an option of random.
var gated = Param{Name: "gates", Most: 1 << 20, Help: "n: in every n-th run, threads wait before each lock (in three of six of these, before each operation) until all that can run do. So a ring of thirty locks closes. 0: in none"}

// sampled are the options of the searches that sample.
func sampled(more ...Param) []Param {
	return append(more, Param{Name: "runs", Default: 10_000, Least: 1, Help: "executions to run"},
		Param{Name: "seed", Default: 1, Help: "of the random choices: the same seed gives the same runs"})
}

// Kinds lists the searches.
func Kinds() []Kind { return append([]Kind(nil), kinds...) }

// Names lists their names, in the same order.
func Names() []string {
	var names []string
	for i := range kinds {
		names = append(names, kinds[i].Name)
	}
	return names
}

func kindNamed(name string) *Kind {
	for i := range kinds {
		if kinds[i].Name == name {
			return &kinds[i]
		}
	}
	return nil
}

// takes reports whether the search is sound under a bound by m.
func (k *Kind) takes(m Measure) bool {
	for _, b := range k.Bounds {
		if b == m {
			return true
		}
	}
	return false
}

// check says why the search can't be run within bounds.
func (k *Kind) check(bounds Bounds) error {
	for _, b := range bounds {
		if k.takes(b.Measure) {
			continue
		}
		var others []string
		for i := range kinds {
			if kinds[i].takes(b.Measure) {
				others = append(others, kinds[i].Name)
			}
		}
		why := k.WhyNot
		if why == "" {
			why = "it has no such bound"
		}
		if len(others) > 0 {
			why += "; searches with that bound: " + strings.Join(others, ", ")
		}
		return &BoundError{fmt.Sprintf("search %s isn't sound under the bound %v: %s", k.Name, b, why)}
	}
	if len(bounds) > 1 && !k.Joint {
		return &BoundError{fmt.Sprintf("search %s takes one bound at a time, not %v", k.Name, bounds)}
	}
	if len(bounds) == 0 && k.NeedsBound {
		var with []string
		for _, m := range k.Bounds {
			with = append(with, string(m)+"=N")
		}
		return &BoundError{fmt.Sprintf("search %s needs a bound: %s", k.Name, strings.Join(with, " or "))}
	}
	return nil
}

// Proves says what a finished run without a bug proves.
func (k *Kind) Proves() string {
	switch {
	case k.Claim == Nothing:
		return "nothing: a run without a bug is never verified or bounded"
	case k.NeedsBound:
		return "no bug within the bound (bounded); none at all if the bound cut nothing off (verified)"
	}
	return "no bug at all (verified)"
}

// Spared says which steps of loops that wait the search isn't given, "" if it is given all.
func (k *Kind) Spared() string {
	if !k.awaits {
		return ""
	}
	text := "polls of a loop that waits aren't run (after Jonsson, Lång and Sagonas, FMCAD 2022), and counted turns are one step"
	for i := range k.Params {
		if !k.Params[i].sparing {
			return text + "; with its options at their defaults"
		}
	}
	return text
}

// Takes says under which bounds the search is sound.
func (k *Kind) Takes() string {
	if len(k.Bounds) == 0 {
		return "none: " + k.WhyNot
	}
	var names []string
	for _, m := range k.Bounds {
		names = append(names, string(m)+"=N")
	}
	text := strings.Join(names, ", ")
	switch {
	case len(names) > 1 && k.Joint:
		text += ", alone or together"
	case len(names) > 1:
		text += ", one at a time"
	}
	if k.NeedsBound {
		text += " (needed)"
	}
	return text
}

// BoundError is a search and a bound that don't go together.
type BoundError struct{ why string }

func (e *BoundError) Error() string { return e.why }
