package report

import (
	"fmt"

	"landgo/internal/result"
	"landgo/internal/trace"
)

const dir = "/home/student/lab/"

func at(function, file string, line int, address result.Addr) result.Frame {
	return result.Frame{Function: function, File: dir + file, Line: line, Address: address}
}

// base is the common part of all samples.
func base(verdict result.Verdict) *result.Result {
	const sha = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	return &result.Result{
		Verdict:      verdict,
		Guest:        result.Guest{Path: dir + "lost", SHA256: sha},
		Kernel:       "linux",
		PP:           "mem",
		Granularity:  "mem",
		Search:       "optimal",
		Bound:        "none",
		Executions:   20,
		Transitions:  1234,
		Replayed:     56,
		Instructions: 1234567,
		Seconds:      0.07,
		Threads:      3,
		Estimate:     result.Estimate{Executions: 20, Explored: 1},
		Certificate: result.Certificate{
			Basis: "glibc's locks trusted",
			Image: sha, Granularity: "mem", Bound: "none", Search: "optimal",
			Memory:    "sequentially consistent (several processors)",
			Timeouts:  "last",
			Trusted:   "pthread synchronisation, malloc and stdio of glibc trusted",
			Calls:     []string{"arch_prctl", "brk", "clone3", "exit", "exit_group", "futex", "mmap", "mprotect", "write"},
			SelfCheck: "not run",
			Engine:    "unicorn 2.0.1",
		},
	}
}

// samples has a result of each kind, as explore would make it.
func samples() map[string]*result.Result {
	return map[string]*result.Result{
		"lost-update":  lostUpdate(),
		"deadlock":     deadlock(),
		"partial":      partialDeadlock(),
		"livelock":     livelock(),
		"sequential":   sequential(),
		"several":      several(),
		"many-threads": manyThreads(),
		"verified":     base(result.Verified),
		"one-thread":   warned(result.Warning{Code: result.OneThread, Text: `only one thread ever ran; it wrote "usage: guest N"`}),
		"nothing-shared": warned(result.Warning{Code: result.NothingShared, Text: "its threads share nothing: none changed what another used while both were there"},
			result.Warning{Code: result.NoPoint, Text: "no run reached a preemption point of lock while there was another thread"}),
		"sc-only":        warned(result.Warning{Code: result.SequentialOnly, Text: "under sequential consistency only: the store to flag[0] may still be in thread 0.1's buffer when it reads flag[1]: peterson.c:5 (and 1 more like it)"}),
		"robust":         robust(),
		"unexamined":     unexamined(),
		"bounded":        bounded(),
		"beyond-bound":   beyondBound(),
		"budget":         budget(),
		"interrupted":    interrupted(),
		"endless":        endless(),
		"lengthy":        lengthy(),
		"invalid":        invalid(),
		"replay":         replay(),
		"replay-without": replayWithout(),
	}
}

func warned(all ...result.Warning) *result.Result {
	r := base(result.Verified)
	r.Executions, r.Estimate.Executions, r.Warnings = 1, 1, all
	return r
}

func lostUpdate() *result.Result {
	read := result.Access{Thread: "0.1", Op: "reads", Address: 0x4c5310, Size: 4, Symbol: "counter", Old: "0x0",
		Instruction: "mov eax, dword ptr [rip+0xc41da]", Stack: []result.Frame{at("worker", "lost.c", 8, 0x401136)}}
	write2 := result.Access{Thread: "0.2", Op: "writes", Address: 0x4c5310, Size: 4, Symbol: "counter", New: "0x1",
		Instruction: "mov dword ptr [rip+0xc41cb], eax", Stack: []result.Frame{at("worker", "lost.c", 9, 0x40113f)}}
	write1 := write2
	write1.Thread = "0.1"
	r := base(result.Buggy)
	r.Executions, r.Estimate = 3, result.Estimate{Executions: 17.3, Explored: 0.1734, SecondsLeft: 0.3}
	start := at("main", "lost.c", 16, 0x401170)
	start2 := at("main", "lost.c", 17, 0x401188)
	r.Bug = &result.Bug{
		Kind:        trace.Assertion,
		Message:     "lost: lost.c:20: main: Assertion `counter == 2' failed.",
		Cause:       "0.2 wrote counter between 0.1's read and write of it, and 0.1's write undid that",
		Thread:      "0",
		Preemptions: 1,
		Minimal:     result.Proven,
		Schedule:    "s1:7f03a9c2:0@10412,0.1@35,0.2@80,0.1@80,0@11833",
		Accesses:    []result.Access{read, write2, write1},
		Stack: []result.Frame{
			{Function: "raise", Address: 0x40a11c}, {Function: "abort", Address: 0x4014ac}, {Function: "__assert_fail", Address: 0x4013d0},
			at("main", "lost.c", 20, 0x4011c0), {Function: "__libc_start_call_main", Address: 0x401c0a}, {Function: "__libc_start_main", Address: 0x402020},
			{Function: "_start", Address: 0x401061},
		},
		Steps: []result.Step{
			{From: "0", To: "0.1", Why: "waits for 0.1 to end", Instruction: 10412, Stack: []result.Frame{at("main", "lost.c", 18, 0x40119c)}},
			{From: "0.1", To: "0.2", Why: "is preempted", Preemption: true, Instruction: 35, Stack: []result.Frame{at("worker", "lost.c", 9, 0x40113f)}},
			{From: "0.2", To: "0.1", Why: "ends", Instruction: 80, Stack: []result.Frame{{Function: "start_thread", Address: 0x404010}}},
			{From: "0.1", To: "0", Why: "ends", Instruction: 80, Stack: []result.Frame{{Function: "start_thread", Address: 0x404010}}},
		},
		ThreadStarts: threads("main", "worker", "worker"),
		Output:       "lost: lost.c:20: main: Assertion `counter == 2' failed.\n",
		File:         "lost.landgo",
		Replay:       "landgo replay lost.landgo",
	}
	r.Bug.ThreadStarts[1].Created, r.Bug.ThreadStarts[2].Created = &start, &start2
	return r
}

// threads are main, and those that it created, with the functions that they run.
func threads(functions ...string) (starts []result.ThreadStart) {
	for n, name := range functions {
		s := result.ThreadStart{Thread: "0", Function: name, Defined: &result.Frame{Function: name, File: "/home/student/lab/a.c", Line: 3 + 7*n}}
		if n > 0 {
			s.Thread = fmt.Sprintf("0.%d", n)
		}
		starts = append(starts, s)
	}
	result.LabelByPath(starts)
	return starts
}

func deadlock() *result.Result {
	r := base(result.Buggy)
	a1, a2 := at("one", "abba.c", 7, 0x401140), at("two", "abba.c", 16, 0x401190)
	r.Estimate = result.Estimate{}
	r.Bug = &result.Bug{
		Kind: trace.Deadlock, Message: "0.1 and 0.2 wait for each other", Thread: "0.2", Preemptions: 1, Minimal: result.BestFound,
		Schedule: "s1:7f03a9c2:0@9000,0.1@20,0.2@41,0.1@41",
		Waits: []result.Wait{
			{Thread: "0", For: "thread", Object: "0.1", Owner: "0.1", Stack: []result.Frame{at("main", "abba.c", 30, 0x4011ff)}},
			{Thread: "0.1", For: "mutex", Object: "B", Address: 0x4c5340, Owner: "0.2", Held: []string{"A"}, Acquired: &a2,
				Stack: []result.Frame{{Function: "pthread_mutex_lock", Address: 0x404000}, at("one", "abba.c", 8, 0x40114c)}},
			{Thread: "0.2", For: "mutex", Object: "A", Address: 0x4c5310, Owner: "0.1", Held: []string{"B"}, Acquired: &a1,
				Stack: []result.Frame{{Function: "pthread_mutex_lock", Address: 0x404000}, at("two", "abba.c", 17, 0x40119c)}},
		},
		Cycle:        []string{"0.1", "0.2"},
		ThreadStarts: threads("main", "one", "two"),
		Steps: []result.Step{
			{From: "0", To: "0.1", Why: "waits for 0.1 to end", Stack: []result.Frame{at("main", "abba.c", 30, 0x4011ff)}},
			{From: "0.1", To: "0.2", Why: "is preempted", Preemption: true, Stack: []result.Frame{a1}},
			{From: "0.2", To: "0.1", Why: "waits for mutex A, which 0.1 holds", Stack: []result.Frame{at("two", "abba.c", 17, 0x40119c)}},
		},
		Replay: "landgo replay --schedule s1:7f03a9c2:0@9000,0.1@20,0.2@41,0.1@41 /home/student/lab/abba",
	}
	return r
}

func partialDeadlock() *result.Result {
	r := base(result.Buggy)
	r.Bug = &result.Bug{
		Kind: trace.Deadlock, Message: "0.2 waits for ever while others have ended", Thread: "0.2", Minimal: result.Proven,
		Schedule: "s1:7f03a9c2:0@9000,0.2@41,0.1@80,0@9100",
		Waits: []result.Wait{
			{Thread: "0.2", For: "condition variable", Object: "ready", Address: 0x4c5340, Stack: []result.Frame{{Function: "waiter", Address: 0x40114c}}},
		},
		File: "x.landgo", Replay: "landgo replay x.landgo",
	}
	return r
}

func livelock() *result.Result {
	r := base(result.Buggy)
	loop := []result.Frame{at("wait_for", "spin.c", 7, 0x401140), at("wait_for", "spin.c", 8, 0x401150)}
	r.Bug = &result.Bug{
		Kind: trace.Livelock, Message: "all threads that can run go round in circles", Thread: "0.1", Minimal: result.Proven,
		Schedule:     "s1:7f03a9c2:0@9000,0.1@41",
		Waits:        []result.Wait{{Thread: "0", For: "thread", Object: "0.1", Owner: "0.1", Stack: []result.Frame{at("main", "spin.c", 30, 0x4011ff)}}},
		ThreadStarts: threads("main", "wait_for"),
		Loops: []result.Loop{{Thread: "0.1", Lines: loop, Waits: []result.Access{
			{Thread: "0.1", Op: "reads", Address: 0x4c5310, Size: 4, Symbol: "turn", Old: "0x0", Stack: loop[:1]},
		}}},
		Steps: []result.Step{{From: "0", To: "0.1", Why: "waits for 0.1 to end", Stack: []result.Frame{at("main", "spin.c", 30, 0x4011ff)}}},
		File:  "spin.landgo", Replay: "landgo replay spin.landgo",
	}
	return r
}

func sequential() *result.Result {
	r := base(result.Buggy)
	r.Executions, r.Threads = 1, 1
	r.Bug = &result.Bug{
		Kind: trace.Segfault, Message: "reads address 0x0, where nothing is mapped", Thread: "0", BeforeThreads: true, Minimal: result.Proven,
		Schedule: "s1:7f03a9c2:0@9000",
		Accesses: []result.Access{{Thread: "0", Op: "reads", Size: 4, Instruction: "mov eax, dword ptr [rax]", Stack: []result.Frame{at("main", "gone.c", 12, 0x401150)}}},
		Stack:    []result.Frame{at("main", "gone.c", 12, 0x401150)},
		File:     "gone.landgo", Replay: "landgo replay gone.landgo",
	}
	return r
}

func several() *result.Result {
	r := lostUpdate()
	second := *deadlock().Bug
	second.File, second.Replay = "lost.2.landgo", "landgo replay lost.2.landgo"
	r.Bugs = []*result.Bug{r.Bug, &second}
	r.Reason = "the time of --time ran out"
	return r
}

// manyThreads has more threads than columns, long names, and a long schedule.
func manyThreads() *result.Result {
	r := base(result.Buggy)
	r.Threads = 14
	b := &result.Bug{Kind: trace.Assertion, Message: "exit status 3", Thread: "0", Preemptions: 12, Minimal: result.BestFound,
		File: "many.landgo", Replay: "landgo replay many.landgo", Schedule: "s1:7f03a9c2:"}
	long := at("a_function_with_a_name_that_says_all_of_what_it_does", "a/directory/of/a/student/with_long_names.c", 1234, 0x401234)
	for i := range 13 {
		from, to := "0.1."+string(rune('a'+i)), "0.1."+string(rune('b'+i))
		b.Steps = append(b.Steps, result.Step{From: from, To: to, Why: "is preempted", Preemption: i > 0, Stack: []result.Frame{long}})
		b.Schedule += "0.1.1@123456789012,0.1.2@9876543210123456,"
	}
	r.Bug = b
	return r
}

func robust() *result.Result {
	r := base(result.Verified)
	r.Certificate.Memory = "x86-TSO (no triangular race)"
	return r
}

func unexamined() *result.Result {
	r := base(result.Verified)
	r.PP, r.Granularity = "yield,lock,unlock", "yield,lock,unlock"
	r.Certificate.Granularity = r.PP
	pair := result.RacePair{Variable: "counter",
		First:  result.Access{Thread: "0.1", Op: "writes", Stack: []result.Frame{at("worker", "lost.c", 9, 0x40113f)}},
		Second: result.Access{Thread: "0.2", Op: "reads", Stack: []result.Frame{at("worker", "lost.c", 8, 0x401136)}}}
	r.Unexamined = 5
	r.UnexaminedFirst = []result.RacePair{pair, pair, pair}
	r.Finer = "landgo run --pp mem /home/student/lab/lost"
	return r
}

func bounded() *result.Result {
	r := base(result.Bounded)
	r.Bound, r.Certificate.Bound, r.Search, r.Certificate.Search = "preempt=2", "preempt=2", "none", "none"
	r.Pruned = 4321
	return r
}

// beyondBound is a bounded search that turned out to be a whole one.
func beyondBound() *result.Result {
	r := bounded()
	r.Verdict, r.Pruned, r.Reason = result.Verified, 0, "the bound preempt=2 cut nothing off"
	return r
}

func budget() *result.Result {
	r := base(result.Budget)
	r.Reason, r.Problem = "the time of --time ran out", result.OutOfTime
	r.Executions, r.Seconds = 1234567, 60.01
	r.Estimate = result.Estimate{Executions: 98765432, Least: 12345678, Most: 98765432, Rises: true, Explored: 0.0125, SecondsLeft: 4738}
	return r
}

func endless() *result.Result {
	r := base(result.Budget)
	r.Reason, r.Problem = "a step ran 100000000 instructions without reaching a preemption point", result.StepTooLong
	r.Place = []result.Frame{at("wait_for", "spin.c", 7, 0x401140), at("main", "spin.c", 30, 0x4011ff)}
	r.Executions, r.Threads, r.Estimate = 0, 1, result.Estimate{}
	return r
}

// lengthy is a run whose executions and steps are long.
func lengthy() *result.Result {
	r := budget()
	r.Executions, r.Estimate = 0, result.Estimate{}
	r.Longest = &result.Longest{Steps: 20000, Place: at("worker", "lost.c", 7, 0x401140), Part: 19996, Threads: []string{"0.1", "0.2"}, Turns: 9998}
	r.Busiest = &result.Busiest{Thread: "0", Instructions: 8 << 20, Place: at("main", "lost.c", 18, 0x40119c), Period: 8}
	return r
}

func interrupted() *result.Result {
	r := base(result.Budget)
	r.Reason, r.Problem = "interrupted", result.Interrupted
	r.Estimate = result.Estimate{}
	return r
}

func invalid() *result.Result {
	r := base(result.Invalid)
	r.Reason, r.Problem = "system call 41 (socket) is not modelled: let threads talk over a socketpair", result.UnmodelledCall
	r.Place = []result.Frame{{Function: "socket", Address: 0x44a1b0}, at("main", "lost.c", 18, 0x40119c)}
	r.Executions, r.Threads = 0, 1
	return r
}

func replay() *result.Result {
	r := lostUpdate()
	r.Replay = &result.Replay{Expected: trace.Assertion, Message: r.Bug.Message, Same: true}
	r.Account = []result.Event{
		{Thread: "0", End: 10380, Does: "creates 0.1", Stack: []result.Frame{at("main", "lost.c", 16, 0x401170)}},
		{Thread: "0", Begin: 10380, End: 10412, Does: "waits for 0.1 to end", Stack: []result.Frame{at("main", "lost.c", 18, 0x40119c)}, Switch: "waits for 0.1 to end; 0.1 goes on"},
		{Thread: "0.1", End: 35, Accesses: []result.Access{r.Bug.Accesses[0]}, Switch: "is preempted; 0.2 goes on", Preemption: true},
		{Thread: "0.2", End: 80, Accesses: []result.Access{r.Bug.Accesses[1]}, Choice: 1, ChoiceText: "the waiter 0.1 is let go", Output: "done\n"},
		{Thread: "0", Begin: 11833, End: 11833, Does: "aborts", Stack: []result.Frame{{Function: "raise", Address: 0x40a11c}}},
		{Thread: "0", Begin: 11833, End: 11900},
	}
	return r
}

func replayWithout() *result.Result {
	r := base(result.Budget)
	r.Reason = "the schedule ended"
	r.Replay = &result.Replay{Expected: trace.Assertion, Message: "exit status 3"}
	r.Executions = 1
	return r
}

func inspection() *result.Inspection {
	return &result.Inspection{
		Guest:  result.Guest{Path: dir + "lost", SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
		Kernel: "linux", How: "static ELF with a thread-local segment", Format: "ELF64 x86-64, static-pie", Libc: "glibc",
		Entry: result.Frame{Function: "_start", Address: 0x401040}, Symbols: true, Lines: true,
		Functions: []result.Role{
			{Meaning: "create", Function: "pthread_create", Address: 0x404a30, Trusted: true},
			{Meaning: "lock", Function: "pthread_mutex_lock", Address: 0x404d10, Trusted: true},
			{Meaning: "unlock", Function: "my_unlock", Address: 0x401e10},
		},
		Points: []result.PointPlaces{
			{Name: "lock", Places: 1, Note: "before an acquire"}, {Name: "atomic", Places: 1234, Note: "lock-prefixed instructions, and xchg with memory"},
			{Name: "mem", Places: -1, Note: "before each access to memory that threads share, which is learned while the guest runs"},
		},
		Trusted:    []string{"the synchronisation functions of glibc", "malloc and stdio"},
		Unmodelled: []result.Unmodelled{{What: "instruction vaddps", Where: at("sum", "vec.c", 9, 0x40119c)}},
	}
}
