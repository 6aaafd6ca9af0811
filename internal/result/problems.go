package result

// Problem explains one kind of error: the text of "landgo help errors" and
// docs/errors.md say, and where the exit status comes from.
type Problem struct {
	Kind ErrorKind
	// Status is the exit status.
	Status int
	// Example is a message of the kind.
	Example string
	// Cause says when it comes, in whole sentences.
	Cause string
	// Cure is the remedy: a clause in the imperative, to follow a semicolon.
	Cure string
}

// Errors of usage and input, for which there is no result.
const (
	Usage         ErrorKind = "usage"
	UnknownPoint  ErrorKind = "unknown-point"
	UnsoundBound  ErrorKind = "unsound-bound"
	NoFile        ErrorKind = "no-file"
	Unreadable    ErrorKind = "unreadable"
	NotELF        ErrorKind = "not-elf"
	BrokenELF     ErrorKind = "broken-elf"
	WrongMachine  ErrorKind = "wrong-machine"
	NotProgram    ErrorKind = "not-a-program"
	Dynamic       ErrorKind = "dynamic"
	Sanitized     ErrorKind = "sanitizer"
	OtherRuntime  ErrorKind = "other-runtime"
	NotBuilt      ErrorKind = "not-built"
	NoCode        ErrorKind = "no-code"
	TooLarge      ErrorKind = "too-large"
	NoKernel      ErrorKind = "unknown-kernel"
	Unwritable    ErrorKind = "unwritable"
	NoQueue       ErrorKind = "no-queue"
	NoOutput      ErrorKind = "no-output"
	BadProfile    ErrorKind = "bad-profile"
	BadCourse     ErrorKind = "bad-course"
	BadBugFile    ErrorKind = "bad-bug-file"
	BadCheckpoint ErrorKind = "bad-checkpoint"
	OtherVersion  ErrorKind = "other-version"
	OtherImage    ErrorKind = "other-image"
	OtherConfig   ErrorKind = "other-configuration"
	BadSchedule   ErrorKind = "bad-schedule"
)

// Reasons of an invalid result.
const (
	UnmodelledCall        ErrorKind = "unmodelled-call"
	UnmodelledInstruction ErrorKind = "unmodelled-instruction"
	UnmodelledOrder       ErrorKind = "unmodelled-order"
	CodeChanged           ErrorKind = "code-changed"
	PointlessPoint        ErrorKind = "pointless-point"
	PointlessCheck        ErrorKind = "pointless-check"
	NoSuchFunction        ErrorKind = "no-such-function"
	TooManyThreads        ErrorKind = "too-many-threads"
	TooMuchMemory         ErrorKind = "too-much-guest-memory"
	TooMuchOutput         ErrorKind = "too-much-output"
	OutOfInput            ErrorKind = "out-of-input"
	Diverged              ErrorKind = "diverged"
	GoneAround            ErrorKind = "gone-around"
	UnmodelledDevice      ErrorKind = "unmodelled-device"
	OtherScheduler        ErrorKind = "other-scheduler"
	NotBooted             ErrorKind = "not-booted"
	NoAnnotations         ErrorKind = "no-annotations"
	NoPaging              ErrorKind = "no-paging"
	OtherSegments         ErrorKind = "other-segments"
	NotLoaded             ErrorKind = "not-loaded"
	EmptyPass             ErrorKind = "empty-pass"
)

// Reasons of a budget result.
const (
	OutOfTime       ErrorKind = "out-of-time"
	OutOfMemory     ErrorKind = "out-of-memory"
	OutOfExecutions ErrorKind = "out-of-executions"
	StepTooLong     ErrorKind = "step-too-long"
	NoEnd           ErrorKind = "no-end"
	NoEndWithin     ErrorKind = "no-end-within"
	NoEndTicks      ErrorKind = "no-end-ticks"
	Endless         ErrorKind = "endless"
	ProvesNothing   ErrorKind = "proves-nothing"
	Interrupted     ErrorKind = "interrupted"
)

// BadEngine and Fault are landgo's own.
const (
	BadEngine  ErrorKind = "engine"
	Unconfined ErrorKind = "unconfined"
	Fault      ErrorKind = "fault"
)

// Problems is the table of all kinds, in the order in which they are shown.
var Problems = []Problem{
	{Usage, ExitUsage,
		`unknown flag --serch, did you mean --search?`,
		"A command, a flag or a flag's value isn't one that landgo knows, or two flags contradict each other.",
		"\"landgo help\" lists the commands, \"landgo help run\" the flags"},
	{UnknownPoint, ExitUsage,
		`unknown preemption point "locks" in --pp, did you mean "lock"?`,
		"--pp takes a comma list of kinds of preemption points.",
		"choose from yield, lock, unlock, atomic, sync, race, mem, and for kernels cli, sti"},
	{UnsoundBound, ExitUsage,
		`search optimal isn't sound under the bound preempt=2`,
		"A reduction leaves out interleavings that are equivalent to others, and the one that it keeps may need more preemptions than the one that it leaves out. Under a bound it would then miss bugs that are within the bound (Coons, Musuvathi and McKinley, OOPSLA 2013, figure 1). Each search takes the bounds under which it is sound.",
		"choose a search that takes the bound (\"landgo searches\"), or leave the bound out"},
	{NoFile, ExitUsage,
		`guest.elf: no such file`,
		"A file named on the command line, or in a bug file, isn't there.",
		"check the path; of a bug file's guest, give it after the bug file"},
	{Unreadable, ExitUsage,
		`guest.elf: can't be read: permission denied`,
		"The file is there but the operating system doesn't let landgo read it, or it is too large, or a directory, a pipe or a device.",
		"give a plain file that you may read"},
	{NotELF, ExitUsage,
		`notes.txt: not an ELF file`,
		"A guest is a compiled program in the ELF format, not its source and not a script.",
		"give the program that a compiler made, or its sources in C or C++"},
	{BrokenELF, ExitUsage,
		`guest.elf: the ELF file is truncated`,
		"The file begins like an ELF file, but its headers contradict the rest: it is truncated or damaged.",
		"build or copy it again"},
	{WrongMachine, ExitUsage,
		`guest.elf: an ELF file for another machine (EM_AARCH64)`,
		"landgo runs little-endian x86-64 programs, and of i386 ones those for Pebbles. Linux programs for i386 and those for other machines aren't run.",
		"build it for x86-64 (gcc -m64, or a cross compiler x86_64-linux-gnu-gcc)"},
	{NotProgram, ExitUsage,
		`guest.o: a relocatable object file`,
		"The ELF file is an object file, a library or a core dump: it has no entry point to run from.",
		"give a program: gcc -g -pthread links one of object files"},
	{Dynamic, ExitUsage,
		`guest.elf: it needs libfoo.so.1, which isn't in the system's folders of libraries`,
		"A dynamically linked program brings only half of its code. landgo runs it with the dynamic linker that it names and the libraries that it needs, and one of these isn't there or can't be used. It looks in the system's folders and in those of LD_LIBRARY_PATH, given by --env. It looks in those that the program names (DT_RPATH, DT_RUNPATH) if they are the system's or beneath the program's own.",
		"install the library; give its folder with --library-path DIR, or the root of its system with --sysroot DIR; or link the program with gcc -static -pthread"},
	{Sanitized, ExitUsage,
		`guest.elf: built with -fsanitize=thread`,
		"A sanitizer's code keeps account of every access in terabytes of memory, takes the place of the thread functions, and starts threads of its own. landgo would explore the sanitizer. It finds races and errors of the heap itself.",
		"build it without -fsanitize: gcc -g -pthread"},
	{OtherRuntime, ExitUsage,
		`guest: a Go program: its goroutines are switched by Go's own scheduler, which landgo doesn't know (go test -race looks for their races)`,
		"landgo runs the threads of Linux, and of C libraries. A runtime with a scheduler of its own switches between its tasks where landgo can't see it, and a verdict would be about a few of the orders only.",
		"use the language's own tools, or build it in the way that the message names"},
	{NotBuilt, ExitUsage,
		`prog.c: gcc -g -pthread -o prog prog.c: exit status 1`,
		"The compiler or make failed on the sources that were given for a guest. Its messages stand above.",
		"correct the sources, or build the program yourself and give that"},
	{NoCode, ExitUsage,
		`guest.elf: no executable segment`,
		"Nothing in the file may be executed, or its entry point lies outside of the executable part.",
		"link it as a program with gcc -static -pthread"},
	{TooLarge, ExitUsage,
		`guest.elf: the guest's segments end at 0x7f0000005000, beyond landgo's limit for them of 0x1fffff000`,
		"The file or its segments are larger than 1 GiB, or lie at addresses that landgo uses otherwise.",
		"make its arrays smaller, or link it at its default address; the parts of a kernel at one distance from their addresses"},
	{NoKernel, ExitUsage,
		`guest.elf: nothing in the file says what it runs on`,
		"landgo knows Linux programs (glibc, musl or no libc) and thread libraries on the pebbles interface.",
		"\"landgo inspect\" shows what landgo sees in the file"},
	{Unwritable, ExitUsage,
		`can't write the bug file /mnt/x.landgo: read-only file system`,
		"landgo checks before the search starts that it can write its bug file, and doesn't overwrite files that aren't bug files.",
		"give another place with --out FILE, or --out none to write no file"},
	{NoQueue, ExitUsage,
		`nats://10.0.0.5: nats: Authorization Violation`,
		"The NATS server that landgo grade, run or worker was to ask can't be reached, doesn't let landgo in, or has no JetStream.",
		"check --nats, and --creds, --nkey, --token-file or --tls-ca as the server wants them; start the server with JetStream (nats-server -js)"},
	{NoOutput, ExitUsage,
		`can't write the result to standard output: no space left on device`,
		"There was a result, but writing it to standard output failed.",
		"send standard output to a place that takes it"},
	{BadCourse, ExitUsage,
		`course.yaml:7:5: tests[0] has no key "pionts", did you mean points?`,
		"The file of a course for landgo grade isn't YAML, or says something that landgo doesn't know. The numbers are the line and the column.",
		"correct the line; docs/grading.md has all keys"},
	{BadProfile, ExitUsage,
		`pool.yaml:4: unknown role "lok" in functions, did you mean lock?`,
		"The file of --profile isn't a profile, or doesn't fit the guest: a function that it names isn't there, or is one of the C library's.",
		"correct the line that is named; docs/profiles.md has all keys and roles, \"landgo inspect\" lists the guest's functions"},
	{BadBugFile, ExitUsage,
		`x.landgo isn't a bug file of landgo's`,
		"The file isn't one that landgo run wrote, or it was changed since.",
		"give the .landgo file that landgo run wrote"},
	{BadCheckpoint, ExitUsage,
		`x.ckpt isn't a checkpoint of landgo's`,
		"The file isn't one that landgo run --checkpoint wrote, or it was changed since.",
		"give the file that --checkpoint named, or search from the start"},
	{OtherVersion, ExitUsage,
		`x.landgo has the format "landgo-bug/2", this landgo reads "landgo-bug/1"`,
		"The bug file or the schedule comes from another version of landgo, for which the same text may mean another interleaving.",
		"replay with the landgo that wrote it, or find the bug again with landgo run"},
	{OtherImage, ExitUsage,
		`guest.elf isn't the program that the bug was found in: its sha256 is 3f…, the bug file's 9a…`,
		"A schedule counts instructions, so it is valid for one build of one program only.",
		"replay the same build, or find the bug again with landgo run"},
	{OtherConfig, ExitUsage,
		`the schedule was made for another guest or with other options`,
		"A schedule is valid for one program, its arguments, environment and input files, and the options that change how it runs.",
		"give the same options as to the run that printed the schedule, or replay its bug file"},
	{BadSchedule, ExitUsage,
		`schedule's segment 3 ("0.1#80"): no @ between the thread and its instruction number`,
		"The text isn't a schedule: part of it may be missing.",
		"copy the whole schedule, from s1: to its end"},

	{UnmodelledCall, ExitInvalid,
		`system call 41 (socket) is not modelled, called by main (net.c:12)`,
		"landgo is the guest's kernel, and hasn't got that call, or that flag of it. A result would rest on a guess.",
		"leave the call out of the test program, or replace it by a function of your own"},
	{UnmodelledInstruction, ExitInvalid,
		`instruction vaddps is not modelled, in sum (vec.c:9)`,
		"The program uses an extension that the emulated processor hasn't got, or an instruction that only a kernel may use.",
		"build the file that has the function with -march=x86-64 or -march=x86-64-v2 (up to SSE4.2 and popcnt), without -mavx, -mbmi or -march=native; for code that can't be changed add -mno-avx. Library functions that ask the processor what it has (cpuid) don't come here: it says that it has none of these"},
	{UnmodelledOrder, ExitInvalid,
		`a store past the caches (movnt, maskmov) to bytes that another thread touches isn't modelled with --model tso: it is in no order with others, in copy (frames.c:8)`,
		"Such a store may reach memory before earlier ones of its thread, or behind later ones. x86-TSO doesn't have that.",
		"write what threads share by plain stores, or let --model sc search without store buffers"},
	{CodeChanged, ExitInvalid,
		`a store into code isn't modelled, in start (boot.S:13)`,
		"landgo takes the program's code as fixed. It is changed or made at run time, or shares a page of 4,096 bytes with data.",
		"give code and data pages of their own: in a kernel's linker script, . = ALIGN(4096) before .data; in C, no pointer to a function within another"},
	{PointlessPoint, ExitInvalid,
		`--pp lock: the guest has no function that acquires a lock`,
		"A kind of preemption point that the guest can't have would make the verdict empty. The whole file counts: a C library brings locks and locked instructions of its own, used or not.",
		"leave the point out; mem works with every guest"},
	{PointlessCheck, ExitInvalid,
		`--check leak: the guest has no allocator that landgo knows`,
		"The guest allocates by functions of its own, or its symbols are gone. landgo then can't see its blocks, and the verdict would be empty.",
		"link the C library's malloc, keep the symbols, or leave --check out"},
	{NoSuchFunction, ExitInvalid,
		`--within worker: no function of the guest is called worker`,
		"A rule for a missing function would make the verdict empty.",
		"check the name with \"landgo inspect\", and that the guest isn't stripped"},
	{TooManyThreads, ExitInvalid,
		`more than 128 threads`,
		"The guest created more threads than --max-threads allows.",
		"use fewer threads (two or three show nearly every bug), or allow more with --max-threads"},
	{TooMuchMemory, ExitInvalid,
		`mmap: the addresses kept for thread 0.1 are used up`,
		"The guest needs more memory, or more addresses, than landgo gives to a guest.",
		"make the test smaller"},
	{TooMuchOutput, ExitInvalid,
		`the guest prints more than 1048576 bytes in one execution`,
		"The guest may be printing for ever.",
		"make it print less, or allow more with --max-output"},
	{OutOfInput, ExitInvalid,
		`readline at the end of the input`,
		"On the real machine the call would wait for the keyboard.",
		"give the guest more to read with --stdin FILE"},
	{Diverged, ExitInvalid,
		`step 17 went another way than the first time`,
		"Two runs of the same schedule differed, so something that landgo doesn't control changes the guest's course.",
		"please report it with the guest: it is a gap in landgo's model"},
	{GoneAround, ExitInvalid,
		`the guest writes to lock directly, not through its functions`,
		"With --trust, landgo's model replaces an object of a thread library: its bytes hold nothing. The library has code outside the object's functions that reads or writes them, or that waits inside a function which is one step. With --trust threads, it reads the data of its functions on threads, which don't run.",
		"remove the object's group from --trust"},
	{UnmodelledDevice, ExitInvalid,
		`input from port 0x60c isn't modelled`,
		"A kernel uses a device, or a register of one, that the machine hasn't got. docs/kernels.md lists the machine's devices.",
		"build the kernel without the device's driver"},
	{OtherScheduler, ExitInvalid,
		`1000 ticks of the timer don't bring the processor to thread 0.2, which the kernel says is ready`,
		"A kernel's scheduler contradicts the kernel's annotations or profile, or needed annotations are missing.",
		"compare the kernel's annotations with docs/kernels.md"},
	{NotBooted, ExitInvalid,
		`the kernel gives up before cpu_idle is called: the kernel panics: assertion failed: pages == free_pages()`,
		"Checking begins where the kernel calls landgo_booted, or the function that its profile names (booted). This kernel doesn't come so far.",
		"see whether the same build comes so far on a PC, or on an emulator of one. If it does, compare what it needs with docs/kernels.md, \"The machine\""},
	{NoAnnotations, ExitInvalid,
		`kernel.elf is a kernel that doesn't describe its threads: it has none of landgo's annotations (landgo_booted, landgo_created, landgo_ready, landgo_unready, landgo_switch)`,
		"A kernel switches its threads itself. landgo has to know the threads, which of them can run, and which one does. The kernel calls empty functions that say so, or a profile names its lists and fields.",
		"run \"landgo header > landgo.h\", include it, and call its functions where their comments say; or describe the kernel in a profile (--profile; docs/kernels.md has both)"},
	{OtherSegments, ExitInvalid,
		`the code segment begins at 0x40000000: segments that don't begin at 0 aren't modelled`,
		"The kernel's descriptor table moves addresses before paging does, as in the first versions of uCore's labs. landgo knows flat segments only.",
		"name room for page tables in a profile (loader: {above: 0xc0000000, tables: 0x10000, stack: 0x7c00}): these then do what the segments do. Or set paging up, with segments from 0 on, before the kernel runs at its high addresses"},
	{NoPaging, ExitInvalid,
		`the kernel's page tables put 0xc0100000 elsewhere, and unicorn 2.0.1 takes each address for its own: landgo needs libunicorn 2.1 or newer for this kernel`,
		"Kernels whose addresses aren't their memory's need an engine that follows page tables.",
		"run \"make paging\", which gets libunicorn 2.1 or says why it can't, and build landgo again"},
	{NotLoaded, ExitInvalid,
		`the program's dynamic linker, /lib64/ld-linux-x86-64.so.2, can't load it: guest: /lib/libfoo.so.1: version 'FOO_2' not found (required by guest)`,
		"The program began with its dynamic linker, which ended the process before the program's own code ran. A library is older than the program (a version isn't found), or lacks a function that the program calls.",
		"install the named library in the version that the program needs. Or give its folder with --library-path DIR, or the root of the system that the program was built on with --sysroot DIR"},
	{EmptyPass, ExitInvalid,
		`--strict: verified, but only one thread ever ran`,
		"The search ended without a bug, but there was nothing to search. The program never had a second thread, its threads share nothing, or no run reached the preemption points that were asked for. Or executions had bugs that --ignore names. With --strict that isn't a pass.",
		"give the program the arguments and the input with which its threads run and meet, choose points that it has, mend what is ignored, or leave --strict out"},

	{OutOfTime, ExitBudget,
		`the time of --time ran out`,
		"The space wasn't explored to its end. No bug was found in the part that was.",
		"allow more with --time, or make the space smaller with --pp, --within or a smaller test"},
	{OutOfMemory, ExitBudget,
		`the memory of --memory ran out`,
		"The search's data grew beyond the limit.",
		"allow more with --memory, or make the space smaller with --pp, --within or a smaller test"},
	{OutOfExecutions, ExitBudget,
		`the executions of --max-executions ran out`,
		"The space wasn't explored to its end. No bug was found in the part that was.",
		"allow more with --max-executions, or make the space smaller with --pp, --within or a smaller test"},
	{StepTooLong, ExitBudget,
		`a step ran 100000000 instructions without reaching a preemption point`,
		"A thread may be in an endless loop, or only in a long computation.",
		"make the test smaller, or allow more with --step-budget"},
	{NoEnd, ExitBudget,
		`an execution has 200000 steps and no end`,
		"Threads go on for ever without returning to an earlier state. Each tries, fails and backs out visibly, counts its tries, or sleeps until something happens. Such an execution has no end if no thread lets the others run.",
		"use --search stateful, which stops at known states, if threads back out and try again; or --search bpor with --bound preempt=2 or fair=2; or a smaller test"},
	{NoEndWithin, ExitBudget,
		`an execution has 200000 steps and no end`,
		"Threads go on for ever without returning to an earlier state, and with few preemptions no other thread lets them end. The claims for fewer preemptions stand.",
		"add a fair bound, with which a thread that yields lets others go on: --bound preempt=2,fair=5; or have the waiting loop yield, or count its turns"},
	{NoEndTicks, ExitBudget,
		`an execution has 200000 steps and no end`,
		"The program switches its threads itself, and goes on for ever: each of them looks, gives way, and is chosen again. So does a package whose threads all wait for one that a tick has made it lose. landgo tells no deadlock where code still runs.",
		"see whether it ends with --ticks 0, where no timer goes off. If so, a tick in a wrong place is the cause, near the loop that is named. If not, pass smaller numbers"},
	{Endless, ExitBudget,
		`no execution has an end: 7 states, and none of them leads to one`,
		"Search stateful has seen every state, and none has a bug. But from some states no execution ends, whatever the threads do: a livelock, unless it is meant, as in a server's loop.",
		"have the test end: a number of rounds for each thread, or a main that doesn't wait for them"},
	{ProvesNothing, ExitBudget,
		`search pct has ended without a bug, and proves nothing`,
		"The search samples executions, or leaves out some that may have bugs. Its end without a bug doesn't mean that there is none.",
		"use a search that proves something (\"landgo searches\"), or let it sample more"},
	{Interrupted, ExitBudget,
		`interrupted`,
		"SIGINT or SIGTERM came. The result has the findings so far. A second signal ends landgo at once, with the same.",
		"run it again for longer"},

	{BadEngine, ExitFault,
		`unicorn 1.0.2 is too old: landgo needs 2.0.1 or later`,
		"landgo runs guests by a program of its own, landgo-engine, which uses the CPU emulator Unicorn, and grades by another one, landgo-class. One of them is missing, or isn't one that landgo can work with.",
		"install libunicorn 2.0.1 or later, and keep landgo-engine and landgo-class beside landgo; \"make build\" does both"},
	{Unconfined, ExitFault,
		"the engine would run without landlock (the kernel has none)",
		"With --confine require, landgo runs a guest only where all layers hold that keep its process from the machine.",
		"use a newer kernel, or let the container have it; --confine best does without"},
	{Fault, ExitFault,
		`internal error: index out of range`,
		"landgo itself failed. That says nothing about the guest: there is no verdict.",
		"please report it, with the guest, the command line, \"landgo version\" and this message"},
}
