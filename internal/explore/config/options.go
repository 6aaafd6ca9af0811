package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"landgo/internal/confine"

	"landgo/internal/result"
	"landgo/por"
)

// Options is the table of all options.
var Options = slices.Concat(guestOptions, searchOptions)

// searchOptions say how to search, within which limits, and what to show.
var searchOptions = []Option{
	{
		Name: "race", Group: GroupSearch, Value: "limited|hb|off",
		Help:  "which unordered accesses are listed as data-race candidates",
		Words: RaceModes,
		Doc:   "With hb, those that no synchronisation orders in an execution that was run. With limited, locks order nothing, but accesses under a common lock aren't listed. That finds more, some of them ordered by the data of the critical sections. With off, landgo doesn't look for them. Without --pp, its sets of points are then those at synchronisation and before every access. Sets of single instructions follow only when the proof needs them. A candidate isn't a bug: its interleavings are searched like all others.",
		Set:   func(c *Config, v string) error { return setWord(&c.Race, v, RaceModes...) },
		Get:   func(c *Config) []string { return one(c.Race) },
	}, {
		Name: "search", Group: GroupSearch, Value: "KIND[:OPTION=N,...]",
		Help:  "how to search: landgo searches lists the kinds",
		Words: por.Names(),
		Doc:   "Sound searches give the same verdict; they differ in how many equivalent interleavings they run. Options of a search follow its name: pct:d=3,seed=7.",
		Set: func(c *Config, v string) error {
			spec, err := por.ParseSpec(v)
			if err != nil {
				name, _, _ := strings.Cut(v, ":")
				return fmt.Errorf("%w%s", err, DidYouMean("%s", name, por.Names()))
			}
			c.Search = spec.String()
			return nil
		},
		Get: func(c *Config) []string { return one(c.Search) },
	}, {
		Name: "bound", Group: GroupSearch, Value: "MEASURE=N[,...]",
		Help: "explore only executions within preempt=N, fair=N, rounds=N, delay=N or switches=N",
		Doc:  "A preemption is a switch away from a thread that could have gone on. Most bugs need one or two. A run that finishes within a bound is bounded, not verified. Most reductions aren't sound under a bound, and refuse it: landgo searches lists the bounds of each.",
		Set: func(c *Config, v string) (err error) {
			c.Bounds, err = por.ParseBounds(v)
			return err
		},
		Get: func(c *Config) []string {
			if c.Bounds == nil {
				return nil
			}
			return one(c.Bounds.String())
		},
	}, {
		Name: "bound-from", Group: GroupSearch, Value: "N",
		Help: "begin with this value of the first bound, not with 0",
		Doc:  "A bounded search goes by ascending bound: the first bug has the fewest preemptions. Where only the last value counts, as in the tables of papers, --bound preempt=2 --bound-from 2 has that alone. Executions of a lower bound are among those of a higher one.",
		Set: func(c *Config, v string) (err error) {
			if c.BoundFrom, err = strconv.Atoi(v); err != nil || c.BoundFrom < 0 {
				return fmt.Errorf("wants a number of 0 or more, got %q", v)
			}
			return nil
		},
		Get: func(c *Config) []string {
			if c.BoundFrom == 0 {
				return nil
			}
			return one(strconv.Itoa(c.BoundFrom))
		},
	}, {
		Name: "keep-going", Group: GroupSearch,
		Help: "go on after a bug: find all distinct ones",
		Doc:  "By default the search ends with the first bug. An execution ends with its bug. Some errors of a program's heap don't stop the machine: an access after the free, a read out of bounds, a free by the wrong function. Each of these is reported once, and the execution goes on as it would without landgo.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.KeepGoing, v) },
		Get:  func(c *Config) []string { return flag(c.KeepGoing) },
	}, {
		Name: "ignore", Group: GroupSearch, Value: "KIND[@FUNCTION]", Repeat: true,
		Help: "look behind a known bug: of this kind, with FUNCTION on a call stack",
		Doc:  "The kinds are those of reports; heap is all errors of the heap. A bug that matches is counted and not reported, and the search goes on. The rest of its execution isn't explored, unless it is an error that --keep-going goes behind. A verdict names what was ignored, as a warning.",
		Set:  setIgnored,
		Get: func(c *Config) (values []string) {
			for _, i := range c.Ignore {
				values = append(values, i.String())
			}
			return values
		},
	}, {
		Name: "strict", Group: GroupSearch,
		Help: "a verdict that has a warning is invalid (exit status 4)",
		Doc:  "Warnings say that there was nothing to search: one thread only, threads that share nothing, points that no run reached. The first line of the report has the first warning, and warnings in the JSON has all. For graders and CI.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.Strict, v) },
		Get:  func(c *Config) []string { return flag(c.Strict) },
	}, {
		Name: "jobs", Group: GroupSearch, Value: "N",
		Help: "search with N workers; 0: as many as the machine has cores",
		Doc:  "Each worker has a guest of its own. The whole report, counts included, is the same for any N. After a while a search is divided into parts, whose order and lengths don't depend on the workers. A small search is over before that. If landgo chooses the preemption points, it explores several sets of them at a time. Searches that can't be divided, and those with --max-executions, have one worker.",
		Set: func(c *Config, v string) error {
			var n uint64
			if err := setCount(&n, v, 0); err != nil {
				return err
			}
			if n > 1024 {
				return result.Errorf(result.Usage, "%s workers are too many: at most 1024", v)
			}
			c.Jobs = int(n)
			return nil
		},
		Get: func(c *Config) []string {
			return one(strconv.Itoa(c.Jobs))
		},
	}, {
		Name: "checkpoint", Group: GroupSearch, Value: "FILE",
		Help: "save the search to FILE every few seconds, for --resume",
		Doc:  "The first saves come sooner, and a search that Ctrl-C or --max-executions ends is saved once more. The file is always whole, even if landgo is killed: it is written under another name and renamed. Every search can be saved, also with a bound, and also one of many sets of points, as without --pp, with all its jobs.",
		Set:  func(c *Config, v string) error { return setOutput(&c.Checkpoint, v) },
		Get:  func(c *Config) []string { return one(c.Checkpoint) },
	}, {
		Name: "checkpoint-every", Group: GroupSearch, Value: "DURATION",
		Help: "how often --checkpoint saves",
		Doc:  "If --time is less than ten times that, it saves ten times within --time. A checkpoint has some ten kilobytes for each search under way and takes milliseconds, most of them for the disk. For search stateful it has every state.",
		Set: func(c *Config, v string) (err error) {
			c.CheckpointEvery, err = ParseDuration(v)
			return err
		},
		Get: func(c *Config) []string { return one(formatDuration(c.CheckpointEvery)) },
	}, {
		Name: "resume", Group: GroupSearch, Value: "FILE",
		Help: "go on with the search that --checkpoint saved to FILE",
		Doc:  "Give the same guest and options as before: a checkpoint of another program, version, search or configuration is refused. The totals are those of a search that wasn't interrupted. The limits of --time and --memory begin anew. Without --pp, the searches by ascending bound, which have up to half of the time, and the samples, which have a sixteenth, repeat their work so far.",
		Set:  func(c *Config, v string) error { return setPath(&c.Resume, v) },
		Get:  func(c *Config) []string { return one(c.Resume) },
	}, {
		Name: "self-check", Group: GroupSearch,
		Help: "run each execution twice and compare",
		Doc:  "Shows that nothing which landgo doesn't control changes the guest's course. Halves the speed, or worse.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.SelfCheck, v) },
		Get:  func(c *Config) []string { return flag(c.SelfCheck) },
	}, {
		Name: "time", Group: GroupLimits, Value: "DURATION",
		Help: "stop after this long: 90s, 10m, 1h30m (no limit by default)",
		Doc:  "A bare number is seconds. The verdict is then budget, with what was found so far. A replay has 10 minutes by default, inspect 5.",
		Set: func(c *Config, v string) (err error) {
			c.Time, err = ParseDuration(v)
			return err
		},
		Get: func(c *Config) []string {
			if c.Time == 0 {
				return nil
			}
			return one(formatDuration(c.Time))
		},
	}, {
		Name: "sync-only", Group: GroupSearch, Hidden: true,
		Help: "without --pp, choose among points of synchronisation only",
		Doc:  "Data-race candidates then add no points, and a verdict holds for yield,lock,unlock; of kernels for cli,sti too. For comparison only.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.SyncOnly, v) },
		Get:  func(c *Config) []string { return flag(c.SyncOnly) },
	}, {
		Name: "candidates-only", Group: GroupSearch, Hidden: true,
		Help: "without --pp, choose among points of synchronisation and of data-race candidates only",
		Doc:  "As in Blum and Gibson's Quicksand: no set has a point at every access, and nothing else searches beside the sets. The test counts as verified when all sets are. For comparison only.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.CandidatesOnly, v) },
		Get:  func(c *Config) []string { return flag(c.CandidatesOnly) },
	}, {
		Name: "processor-time", Group: GroupLimits, Hidden: true,
		Help: "count the processor's time in --time and in the result's seconds",
		Doc:  "By default they are wall-clock time, which a busy machine stretches.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.ProcessorTime, v) },
		Get:  func(c *Config) []string { return flag(c.ProcessorTime) },
	}, {
		Name: "memory", Group: GroupLimits, Value: "SIZE",
		Help: "stop when landgo needs more memory than this: 512M, 2G; 0 for no limit",
		Doc:  "Units are powers of 1024. The verdict is then budget.",
		Set: func(c *Config, v string) (err error) {
			c.Memory, err = ParseSize(v)
			return err
		},
		Get: func(c *Config) []string { return one(c.Memory.String()) },
	}, {
		Name: "max-executions", Group: GroupLimits, Value: "N",
		Help: "stop after N executions (no limit by default)",
		Doc:  "The verdict is then budget. If landgo chooses the preemption points, it explores nothing beside its sets of them.",
		Set:  func(c *Config, v string) error { return setCount(&c.MaxExecutions, v, 0) },
		Get: func(c *Config) []string {
			if c.MaxExecutions == 0 {
				return nil
			}
			return one(strconv.FormatUint(c.MaxExecutions, 10))
		},
	}, {
		Name: "step-budget", Group: GroupLimits, Value: "N",
		Help: "instructions that a thread may run without a preemption point",
		Doc:  "Beyond it the guest may be looping for ever, and the verdict is budget.",
		Set:  func(c *Config, v string) error { return setCount(&c.StepBudget, v, 1) },
		Get:  func(c *Config) []string { return one(strconv.FormatUint(c.StepBudget, 10)) },
	}, {
		Name: "max-threads", Group: GroupLimits, Value: "N",
		Help: "threads that the guest may create",
		Doc:  "Beyond it the verdict is invalid.",
		Set: func(c *Config, v string) error {
			n := uint64(0)
			if err := setCount(&n, v, 1); err != nil {
				return err
			}
			if n > 1<<16 {
				return fmt.Errorf("want at most %d, got %d", 1<<16, n)
			}
			c.MaxThreads = int(n)
			return nil
		},
		Get: func(c *Config) []string { return one(strconv.Itoa(c.MaxThreads)) },
	}, {
		Name: "max-output", Group: GroupLimits, Value: "SIZE",
		Help: "bytes that the guest may write in one execution",
		Doc:  "Beyond it the verdict is invalid.",
		Set: func(c *Config, v string) (err error) {
			c.MaxOutput, err = ParseSize(v)
			return err
		},
		Get: func(c *Config) []string { return one(c.MaxOutput.String()) },
	}, {
		Name: "confine", Group: GroupLimits, Value: "LEVEL", Words: confine.Levels,
		Help: "confine the process that runs the guest: best, require, off",
		Doc:  "It can open no file, and reach no network and no other process: landlock, a filter of system calls, limits, and another user where landgo is root's. With best, landgo says what the kernel or the container hasn't got, and goes on; with require it refuses to run then.",
		Set: func(c *Config, v string) (err error) {
			c.Confine, err = confine.ParseLevel(v)
			return err
		},
		Get: func(c *Config) []string { return one(c.Confine.String()) },
	}, {
		Name: "out", Group: GroupOutput, Value: "FILE",
		Help: "where a bug is written for replay (default GUEST.landgo here; none: nowhere)",
		Doc:  "With --keep-going the second bug goes to GUEST.2.landgo, and so on. A file that isn't a bug file isn't overwritten.",
		Set:  func(c *Config, v string) error { return setOutput(&c.Out, v) },
		Get:  func(c *Config) []string { return one(c.Out) },
	}, {
		Name: "coverage", Group: GroupOutput,
		Help: "show which lines and preemption points the interleavings reached",
		Doc:  "Lines of the guest's own code that no interleaving ran are often the finding. Of each point it says how many of the search's steps began with a thread there that could go on, and in how many another thread ran before. A reducing search switches only where that can make a difference. It is the same for any number of `--jobs`.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.Coverage, v) },
		Get:  func(c *Config) []string { return flag(c.Coverage) },
	}, {
		Name: "coverage-out", Group: GroupOutput, Value: "FILE",
		Help: "write --coverage to FILE, in lcov's format, for editors and genhtml",
		Doc:  "Lines that were run count 1, others 0. A preemption point is a branch with two ways: how often its thread went on, and how often another one ran first.",
		Set:  func(c *Config, v string) error { return setOutput(&c.CoverageOut, v) },
		Get:  func(c *Config) []string { return one(c.CoverageOut) },
	}, {
		Name: "html", Group: GroupOutput, Value: "FILE",
		Help: "write a page with a picture of the bug's run to FILE",
		Doc:  "One file, which works offline, and without JavaScript as a still picture. Of several bugs, it shows the one with the fewest preemptions. \"landgo page BUGFILE\" makes it of a bug file.",
		Set:  func(c *Config, v string) error { return setOutput(&c.HTML, v) },
		Get:  func(c *Config) []string { return one(c.HTML) },
	}, {
		Name: "snapshot", Group: GroupOutput, Value: "DIR|off",
		Help: "where kernels' boots and programs' starts are kept, to begin there the next time",
		Doc:  "By default $XDG_CACHE_HOME/landgo/boot, or ~/.cache/landgo/boot. A boot of a million instructions and more is kept, and used for the same kernel, command line, profile, machine and landgo only. A program's start is what its first thread does before there is another. It is kept from thirty thousand instructions on (nearly each program with shared libraries), and used for the same program, libraries, arguments, environment, input, options and landgo only. It changes no result.",
		Set:  func(c *Config, v string) error { return setOutput(&c.Snapshot, v) },
		Get:  func(c *Config) []string { return one(c.Snapshot) },
	}, {
		Name: "source", Group: GroupOutput, Value: "DIR", Repeat: true,
		Help: "quote source lines from beneath DIR too",
		Doc:  "The guest's line information names the lines. Reports quote only files beneath DIR, the working directory and the guest's folder: not through a link, and beneath / only if DIR says so. A replay doesn't read the folder of a guest whose absolute path only the bug file has.",
		Set: func(c *Config, v string) error {
			if v == "" {
				return fmt.Errorf("want a directory's name")
			}
			c.Sources = append(c.Sources, v)
			return nil
		},
		Get: func(c *Config) []string { return c.Sources },
	}, {
		Name: "json", Group: GroupOutput,
		Help: "print the result as one JSON object",
		Doc:  "Its fields are described below.",
		Set:  setJSON,
		Get:  func(c *Config) []string { return flag(c.Format == JSONFormat) },
	}, {
		Name: "format", Group: GroupOutput, Value: "FORMAT",
		Help:  "print the result as text, json, gradescope, autolab, junit, sarif, github or csv",
		Doc:   "docs/formats.md has an example of each. An error is reported in the format too, so that a grader always gets a whole document; the exit status is the same.",
		Words: Formats,
		Set:   setFormat,
		Get: func(c *Config) []string {
			if c.Format == JSONFormat {
				return nil // --json says it
			}
			return one(c.Format)
		},
	}, {
		Name: "brief", Group: GroupOutput,
		Help: "print at most twenty lines for the student who wrote the guest",
		Doc:  "They name functions of the student's own code only, and have no address, no schedule and no line of a source.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.Brief, v) },
		Get:  func(c *Config) []string { return flag(c.Brief) },
	}, {
		Name: "points", Group: GroupOutput, Value: "N",
		Help: "the points of a pass, with --format gradescope, autolab or csv",
		Doc:  "A verdict of verified or bounded gets them all, any other result none.",
		Set:  setPoints,
		Get:  func(c *Config) []string { return one(strconv.FormatFloat(c.Points, 'g', -1, 64)) },
	}, {
		Name: "quiet", Group: GroupOutput,
		Help: "show no progress",
		Doc:  "Errors are still shown.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.Quiet, v) },
		Get:  func(c *Config) []string { return flag(c.Quiet) },
	}, {
		Name: "verbose", Short: "v", Group: GroupOutput,
		Help: "show all of a report, however long, and the whole certificate",
		Doc:  "Without it a report has at most 200 lines. Turns that differ in numbers only are shown once with their count, and the middle of a long part is left out. The JSON has all in any case.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.Verbose, v) },
		Get:  func(c *Config) []string { return flag(c.Verbose) },
	}, {
		Name: "native-sync", Group: GroupTests, Hidden: true,
		Help: "run libc's own lock, join and exit code uninterrupted",
		Doc:  "By default landgo carries these functions out itself. Both ways must give the same result.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.NativeSync, v) },
		Get:  func(c *Config) []string { return flag(c.NativeSync) },
	}, {
		Name: "all-shared", Group: GroupTests, Hidden: true,
		Help: "take all memory as shared from the start",
		Doc:  "By default sharing is learned. Both ways must give the same result.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.AllShared, v) },
		Get:  func(c *Config) []string { return flag(c.AllShared) },
	}, {
		Name: "no-heap", Group: GroupTests, Hidden: true,
		Help: "don't check accesses to the heap and to dead stacks",
		Doc:  "For measuring what the check costs.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.NoHeap, v) },
		Get:  func(c *Config) []string { return flag(c.NoHeap) },
	},
}
