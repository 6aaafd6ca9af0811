package config

import (
	"fmt"
	"landgo/internal/confine"
	"strconv"
	"strings"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// Options is the table of all options.
var Options = []Option{
	{
		Name: "env", Group: GroupGuest, Value: "K=V", Repeat: true,
		Help: "put K=V into the guest's environment (empty by default)",
		Doc:  "The environment of the shell doesn't reach the guest: it would make runs differ from machine to machine.",
		Set: func(c *Config, v string) error {
			if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
				return fmt.Errorf("want NAME=VALUE, got %q", v)
			}
			if strings.ContainsRune(v, 0) {
				return fmt.Errorf("%q has a zero byte", v)
			}
			c.Env = append(c.Env, v)
			return nil
		},
		Get: func(c *Config) []string { return c.Env },
	}, {
		Name: "stdin", Group: GroupGuest, Value: "FILE",
		Help: "the guest's standard input (empty by default)",
		Doc:  "The file is read once, before the search. Every execution reads it from its start.",
		Set:  func(c *Config, v string) error { return setPath(&c.Stdin, v) },
		Get:  func(c *Config) []string { return one(c.Stdin) },
	}, {
		Name: "cmdline", Group: GroupGuest, Value: "TEXT",
		Help: "the command line of a kernel (for guests that are kernels)",
		Doc:  "It is passed as a boot loader does, without a program's name before it.",
		Set: func(c *Config, v string) error {
			c.Cmdline = v
			return nil
		},
		Get: func(c *Config) []string { return one(c.Cmdline) },
	}, {
		Name: "file", Group: GroupGuest, Value: "HOST[:GUEST]", Repeat: true,
		Help: "let the guest read the file HOST, under the path GUEST",
		Doc:  "Without GUEST the guest sees it under the path given. The guest can open no other file, and writes none.",
		Set:  setFile,
		Get:  func(c *Config) []string { return c.filesAsGiven(false) },
	}, {
		Name: "disk", Group: GroupGuest, Value: "[N:]FILE", Repeat: true,
		Help: "give a kernel's machine a disk with FILE's content (IDE; for guests that are kernels)",
		Doc:  "The file is read once, and never written: what the kernel writes is a part of its state. Each further disk takes the next of four places, or place N: 0 and 1 are the drives of the first channel, 2 and 3 those of the second.",
		Set:  setDisk,
		Get:  func(c *Config) []string { return c.filesAsGiven(true) },
	}, {
		Name: "pp", Group: GroupPoints, Value: "LIST",
		Help:  "preemption points: yield, lock, unlock, atomic, sync, race, mem; of kernels cli, sti too (landgo chooses by default)",
		Words: pointNames(), List: true,
		Doc: "A comma list of kinds. A verdict holds at the granularity of the points that were explored, and says so. Without it landgo chooses: many small sets of points, as the time allows, until a bug or a verdict that holds for mem.",
		Set: func(c *Config, v string) (err error) {
			c.PP, c.Races, err = parsePoints(v)
			c.Deepen = false
			return err
		},
		Get: func(c *Config) []string {
			if c.Deepen && c.PP == trace.MemPoints {
				return nil
			}
			return one(c.PointList())
		},
	}, {
		Name: "within", Group: GroupPoints, Value: "FUNCTION", Repeat: true,
		Help: "switch only while FUNCTION is on the thread's call stack",
		Doc:  "May be mixed with --without; of the rules that match, the last one wins. Yields are never restricted.",
		Set:  func(c *Config, v string) error { return addRule(c, Rule{Function: v}) },
		Get:  func(c *Config) []string { return rules(c, false) },
	}, {
		Name: "without", Group: GroupPoints, Value: "FUNCTION", Repeat: true,
		Help: "don't switch while FUNCTION is on the thread's call stack",
		Doc:  "See --within.",
		Set:  func(c *Config, v string) error { return addRule(c, Rule{Without: true, Function: v}) },
		Get:  func(c *Config) []string { return rules(c, true) },
	}, {
		Name: "smp", Group: GroupPoints,
		Help: "the guest runs on several processors (default of linux)",
		Doc:  "An instruction without a lock prefix that makes two accesses can then be interrupted between them by another processor's.",
		Set:  func(c *Config, v string) error { return setProcessors(c, ProcessorsSMP, v) },
		Get:  func(c *Config) []string { return flag(c.Processors == ProcessorsSMP) },
	}, {
		Name: "up", Group: GroupPoints,
		Help: "the guest runs on one processor (default of pebbles)",
		Doc:  "Every instruction is then atomic.",
		Set:  func(c *Config, v string) error { return setProcessors(c, ProcessorsUP, v) },
		Get:  func(c *Config) []string { return flag(c.Processors == ProcessorsUP) },
	}, {
		Name: "timeouts", Group: GroupWorld, Value: "last|any",
		Help:  "when a timed wait runs out: when no other thread can run, or at any point",
		Words: timeouts,
		Doc:   "With last, a timeout fires only when nothing else can run, as in a test that uses it only against hanging. With any, every order of the timeout and the other threads is explored.",
		Set: func(c *Config, v string) error {
			return setWord(&c.Timeouts, v, timeouts...)
		},
		Get: func(c *Config) []string { return one(string(c.Timeouts)) },
	}, {
		Name: "locks", Group: GroupWorld, Value: "trusted|tested[=F,...]",
		Help:  "take the synchronisation functions as correct, or test their code",
		Words: []string{"trusted", "tested"},
		Doc:   "Trusted functions are one step each. With tested, the instructions of all of them, or of those named after the equals sign, are explored like any others. Use it for a lock of your own that has the name of a known one.",
		Set:   setLocks,
		Get: func(c *Config) []string {
			switch {
			case len(c.LocksTested) == 0:
				return one("trusted")
			case c.LocksTested[0] == AllLocks:
				return one("tested")
			}
			return one("tested=" + strings.Join(c.LocksTested, ","))
		},
	}, {
		Name: "fail-on", Group: GroupWorld, Value: "race|output",
		Help:  "report a data race observed in both orders, or outputs that differ, as a bug",
		Words: []string{"race", "output"},
		Doc:   "Give both as race,output. With output, a program has a bug if two executions write different things to standard output; lines in another order only count with --observe stdout. The schedule is one whose output isn't that of the first execution. With race, the two accesses have to be neighbours in both orders, each in some execution: nothing comes between that depends on the first and on which the second depends. So accesses that synchronisation, or a protocol of the program's own, keeps apart are no bug. Nor are accesses to a variable that is declared as atomic.",
		Set: func(c *Config, v string) error {
			race, output := c.FailOnRace, c.FailOnOutput
			for _, word := range strings.Split(v, ",") {
				switch word {
				case "race":
					race = true
				case "output":
					output = true
				default:
					return fmt.Errorf("want race or output, got %q", word)
				}
			}
			c.FailOnRace, c.FailOnOutput = race, output
			return nil
		},
		Get: func(c *Config) (words []string) {
			if c.FailOnRace {
				words = append(words, "race")
			}
			if c.FailOnOutput {
				words = append(words, "output")
			}
			if len(words) == 0 {
				return nil
			}
			return one(strings.Join(words, ","))
		},
	}, {
		Name: "trust", Group: GroupWorld, Value: "GROUP[,GROUP]",
		Help:  "pebbles: take groups of the thread library's functions as correct",
		Words: trustNames(),
		Doc:   "By default nothing of a thread library on pebbles is trusted. The functions of a trusted group are one step each, and the others are explored on top of them. The groups are mutex; cond (and mutex, which its wait releases); sem; rwlock; threads; malloc. With threads, landgo provides the threads and their stacks, and only thr_init of the library's own functions runs. With malloc, each call runs the library's own code without interruption. A library that accesses a trusted object directly, not through its functions, ends the run as invalid. So does one that reads the data of its functions on threads.",
		Set:   setTrust,
		Get:   func(c *Config) []string { return trustList(c) },
	}, {
		Name: "profile", Group: GroupWorld, Value: "FILE",
		Help: "the meaning of functions of the guest: a YAML file, see docs/profiles.md",
		Doc:  "It names the guest's own locks, panics and functions that are to run as one piece. It adds to the built-in names, or replaces them (pthread's and the C library's on linux, 15-410's on pebbles). The functions' code is tested like any other. A bug file contains the profile.",
		Set:  setProfile,
		Get:  func(c *Config) []string { return profilePath(c.Profile) },
	}, {
		Name: "malloc", Group: GroupWorld, Value: "trusted|native",
		Help:  "carry malloc and free out for the guest, or follow its own",
		Words: []string{"trusted", "native"},
		Doc:   "With trusted, each thread's blocks have addresses of their own, and allocations of different threads are independent. With native, the guest's allocator runs, without interruption, and reuses memory in its own way. Every call then depends on every other, so there are more interleavings. Both find errors of the heap.",
		Set: func(c *Config, v string) error {
			var word string
			if err := setWord(&word, v, "trusted", "native"); err != nil {
				return err
			}
			if c.Malloc = MallocTrusted; word == "native" {
				c.Malloc = MallocNative
			}
			return nil
		},
		Get: func(c *Config) []string {
			if c.Malloc == MallocNative {
				return one("native")
			}
			return one("trusted")
		},
	}, {
		Name: "check", Group: GroupWorld, Value: "leak,...", Repeat: true,
		Help:  "further errors that count as bugs: leak, leak-all, uninit",
		Words: checks, List: true,
		Doc: "With leak, a block of the heap is a bug if nothing points into it at the program's end: no register, static variable, live stack or other block. With leak-all, every remaining block is a bug. With uninit, a branch, an address or a system call must not depend on bytes of the heap which were never written. The guest runs beside two to eight twins with other bytes in fresh blocks, among them the first six numbers with which its own code compares. All have to go the same way. That takes three to nine times as long and more. The C library's own blocks don't count. Wrong accesses to the heap are always bugs.",
		Set: setChecks,
		Get: func(c *Config) []string { return one(strings.Join(c.CheckFor, ",")) },
	}, {
		Name: "observe", Group: GroupWorld, Value: "stdout",
		Help:  "count writes to standard output as shared state",
		Words: []string{"stdout"},
		Doc:   "Another order of two threads' output is then another execution. By default it isn't.",
		Set: func(c *Config, v string) error {
			if v != "stdout" {
				return fmt.Errorf("want stdout, got %q", v)
			}
			c.ObserveStdout = true
			return nil
		},
		Get: func(c *Config) []string {
			if c.ObserveStdout {
				return one("stdout")
			}
			return nil
		},
	}, {
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
		Doc:  "By default the search ends with the first bug. An execution ends with its bug, but for errors of a program's heap that don't stop the machine: an access after the free, a read out of bounds, a free by the wrong function. Each is reported once, and the execution goes on behind it as it would without landgo.",
		Set:  func(c *Config, v string) error { return setSwitch(&c.KeepGoing, v) },
		Get:  func(c *Config) []string { return flag(c.KeepGoing) },
	}, {
		Name: "ignore", Group: GroupSearch, Value: "KIND[@FUNCTION]", Repeat: true,
		Help: "look behind a known bug: of this kind, with FUNCTION on a call stack",
		Doc:  "The kinds are those of reports; heap is all errors of the heap. A bug that matches is counted and not reported, and the search goes on. What its execution would do afterwards isn't explored, unless it is an error that --keep-going goes behind. A verdict names what was ignored, as a warning.",
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
		Doc:  "Warnings say that there was nothing to search: one thread only, threads that share nothing, points that no run came to. The first line of the report has the first warning, and warnings in the JSON has all. For graders and CI.",
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
		Doc:  "The file is always whole, even if landgo is killed: it is written under another name and renamed. Every search can be saved, also with a bound, and also one of many sets of points, as without --pp, with all its jobs.",
		Set:  func(c *Config, v string) error { return setPath(&c.Checkpoint, v) },
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
		Set:  func(c *Config, v string) error { return setPath(&c.Out, v) },
		Get:  func(c *Config) []string { return one(c.Out) },
	}, {
		Name: "snapshot", Group: GroupOutput, Value: "DIR|off",
		Help: "where kernels' boots are kept, to begin there the next time",
		Doc:  "By default $XDG_CACHE_HOME/landgo/boot, or ~/.cache/landgo/boot. A boot of a million instructions and more is kept, and used for the same kernel, command line, profile, machine and landgo only. It changes no result.",
		Set:  func(c *Config, v string) error { return setPath(&c.Snapshot, v) },
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
		Doc:   "docs/formats.md has an example of each. An error is told in the format too, so that a grader always gets a whole document; the exit status is the same.",
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
		Help: "what a pass is worth, with --format gradescope, autolab or csv",
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
		Doc:  "Without it a report has at most 200 lines: turns that differ in numbers only are shown once with their count, and the middle of a long part is left out. The JSON has all in any case.",
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
