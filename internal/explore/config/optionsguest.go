package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"landgo/internal/trace"
)

// guestOptions say what is run, with which points, and in which world.
var guestOptions = []Option{
	{
		Name: "env", Group: GroupGuest, Value: "K=V", Repeat: true,
		Help: "put K=V into the guest's environment (empty by default)",
		Doc:  "The environment of the shell doesn't reach the guest: it would make runs differ from machine to machine. A dynamically linked guest finds LD_BIND_NOW=1 behind what is given, and LD_LIBRARY_PATH and LD_PRELOAD mean what they mean to its dynamic linker.",
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
		Help: "let the guest read the file HOST, under the path GUEST; rw: let it write files in memory",
		Doc:  "Without GUEST the guest sees it under the path given. The guest can open no other file, but for /dev/null, zero, full, random and urandom. With \"--file rw\" it can make files, and write, rename and remove those that it was given, in memory. A folder has to be there first: one of every system (/tmp, /var/log), one of a given file, or one that the guest makes. Each execution begins with the files as they were, and nothing is written outside. Files of shm_open and memfd_create are always there. A file named rw is \"--file ./rw\".",
		Set:  setFile,
		Get:  func(c *Config) []string { return c.filesAsGiven(false) },
	}, {
		Name: "disk", Group: GroupGuest, Value: "[N:]FILE", Repeat: true,
		Help: "give a kernel's machine a disk with FILE's content (IDE; for guests that are kernels)",
		Doc:  "The file is read once, and never written: what the kernel writes is a part of its state. Each further disk takes the next of four places, or place N: 0 and 1 are the drives of the first channel, 2 and 3 those of the second.",
		Set:  setDisk,
		Get:  func(c *Config) []string { return c.filesAsGiven(true) },
	}, {
		Name: "sysroot", Group: GroupGuest, Value: "DIR",
		Help: "take the guest's dynamic linker and libraries from DIR in place of /",
		Doc:  "DIR is the root of another system: what the guest is linked with lies beneath it at the paths of that system. Links are followed within DIR.",
		Set:  func(c *Config, v string) error { return setFolder(&c.Sysroot, v) },
		Get:  func(c *Config) []string { return one(c.Sysroot) },
	}, {
		Name: "library-path", Group: GroupGuest, Value: "DIR", Repeat: true,
		Help: "look for the guest's libraries in DIR before the system's folders",
		Doc:  "It is what LD_LIBRARY_PATH is to a program outside. landgo itself looks in the system's folders of libraries, and in the guest's own folder for what the guest names there ($ORIGIN).",
		Set: func(c *Config, v string) error {
			var dir string
			err := setFolder(&dir, v)
			c.LibraryPath = append(c.LibraryPath, dir)
			return err
		},
		Get: func(c *Config) []string { return c.LibraryPath },
	}, {
		Name: "library", Group: GroupGuest, Value: "NAME", Repeat: true,
		Help: "a library that the guest loads while it runs (dlopen)",
		Doc:  "landgo finds those itself that lie in the system's folders or in the guest's, and begins again with them. A library has its name, or a path as the guest gives it to dlopen.",
		Set: func(c *Config, v string) error {
			if v == "" || strings.ContainsRune(v, 0) {
				return fmt.Errorf("want a library's name, got %q", v)
			}
			c.Libraries = append(c.Libraries, v)
			return nil
		},
		Get: func(c *Config) []string { return c.Libraries },
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
		Name: "model", Group: GroupWorld, Value: "sc|tso|auto",
		Help:  "the memory model: sequentially consistent, x86-TSO with store buffers, or that where it matters",
		Words: models,
		Doc:   "With tso, memory is that of an x86 machine with several processors. A store waits in its processor's buffer, where the thread itself finds it at once and others only later. Fences, locked instructions and most system calls wait until the buffer is empty. landgo then has a preemption point before every access, and refuses searches and bounds that aren't proven there. With sc a store is seen by all threads at once, and a warning says where a machine's buffers could make a difference. With auto, the default, the program is then searched again with store buffers, as far as tso can search it.",
		Set: func(c *Config, v string) error {
			return setWord(&c.Model, v, models...)
		},
		Get: func(c *Config) []string { return one(string(c.Model)) },
	}, {
		Name: "timeouts", Group: GroupWorld, Value: "last|any",
		Help:  "when a timed wait runs out: when no other thread can run, or at any point",
		Words: timeouts,
		Doc:   "With last, a timeout fires only when nothing else can run, as in a test that uses it only as a watchdog. With any, every order of the timeout and the other threads is explored.",
		Set: func(c *Config, v string) error {
			return setWord(&c.Timeouts, v, timeouts...)
		},
		Get: func(c *Config) []string { return one(string(c.Timeouts)) },
	}, {
		Name: "copies", Group: GroupWorld, Value: "whole|divided|auto",
		Help:  "how read, write and their like copy memory: in one step, word by word, or that where it matters",
		Words: copies,
		Doc:   "A kernel copies one word after the other, so other threads see a part, or change one. With divided, each word that threads share is read or written in a step of its own. With whole, all of them are one step, and a warning says where that could make a difference. With auto, the default, the program is then searched again with divided copies.",
		Set: func(c *Config, v string) error {
			err := setWord(&c.Copies, v, copies...)
			if c.Copies == "auto" {
				c.Copies = CopiesAuto
			}
			return err
		},
		Get: func(c *Config) []string {
			if c.Copies == CopiesAuto {
				return one("auto")
			}
			return one(string(c.Copies))
		},
	}, {
		Name: "faults", Group: GroupWorld, Value: "KIND=N[,...]",
		Help: "have up to N calls of a kind fail: malloc=N, spurious=N, eintr=N, create=N, trylock=N",
		Doc:  "An execution has at most N failures of the kind, and every call at which they can be is tried. malloc: an allocation gets no memory. spurious: a wait on a condition variable ends for nothing. eintr: a call that waits is interrupted. create: no thread can be created. trylock: mtx_trylock or std::mutex::try_lock fails though the mutex is free. Programs on Linux only. See docs/choices.md.",
		Set: func(c *Config, v string) error {
			f, err := trace.ParseFaults(v)
			c.Faults = f.String()
			var wrong *trace.FaultError
			if errors.As(err, &wrong) && wrong.Name != "" {
				err = fmt.Errorf("%w%s: there are %s", err, DidYouMean("%s", wrong.Name, trace.FaultNames()), strings.Join(trace.FaultNames(), ", "))
			}
			return err
		},
		Get: func(c *Config) []string {
			return one(c.Faults)
		},
	}, {
		Name: "ticks", Group: GroupWorld, Value: "N",
		Help: "how often timers that send signals go off in an execution",
		Doc:  "A timer of setitimer, alarm or timer_create may go off at each preemption point. Where nothing else can run it goes off without counting. See docs/own-threads.md.",
		Set: func(c *Config, v string) error {
			n := uint64(0)
			if err := setCount(&n, v, 0); err != nil {
				return err
			}
			if n > mostTicks {
				return fmt.Errorf("want at most %d, got %d", mostTicks, n)
			}
			c.SetTicks(n)
			return nil
		},
		Get: func(c *Config) []string { return one(strconv.FormatUint(c.MostTicks(), 10)) },
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
		Doc: "With leak, a block of the heap is a bug if nothing points into it at the program's end: no register, static variable, live stack or other block. With leak-all, every remaining block is a bug. With uninit, a branch, an address or a system call must not depend on bytes of the heap, or on Linux of a function's variables, which were never written. The guest runs beside two to eight twins with other bytes in fresh blocks and in the frames that functions with source lines begin with. These include the first six numbers with which its own code compares. All have to go the same way. That takes three to nine times as long and more. The C library's own blocks don't count. Wrong accesses to the heap are always bugs.",
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
	},
}
