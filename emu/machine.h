/*
 * The machine's C half: one Unicorn engine, the guest's memory with its
 * permission and sharing bytes, the undo journal, the stack of CPU contexts,
 * and the record of one run.
 *
 * Go fills in the order, calls machine_run once, and reads the result and the
 * records where they lie. Nothing here calls back into Go. Go also reads and
 * appends to the journal itself, so the structs below are a contract with the
 * Go files of this package.
 */
#ifndef LANDGO_MACHINE_H
#define LANDGO_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unicorn/unicorn.h>

#include "classify.h"
#include "recall.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum {
	PAGE_SHIFT = 12,
	GRANULE_SHIFT = 3,      /* sharing is known per 8 bytes */
	MAX_HELD = 4, MAX_LINKS = 16, /* reads that a half-executed instruction can hold; links of frames */
	MAX_EVENT = 16,         /* bytes of one record, or of one entry of held bytes */
	LINE = 64,              /* bytes of a cache line */
	MAX_STORES = 128,       /* stores of one instruction: fxsave makes 56 */
	TRACE_LEN = 4096,       /* program counters kept by TracePCs */
	SLACK = 4096,           /* bytes behind the guest's memory: the journal reads 8 at a time */
	MAX_FENCES = 16,        /* of one run */
	RECORD_LIMIT = 1 << 24, /* records of one run */
	REPEAT_SLOTS = 1 << 12, /* of the table that finds repeated records */
	MAX_DEVICES = 2,
	MAX_WINDOWS = 96,       /* stacks of the guest's own threads, see party.c */
	MAX_FRAMES = 16,        /* signals whose handlers haven't returned */
	REGISTER_SIZE = 16,     /* bytes from one register of a device to the next */
	PLAIN_WORDS = (1 << PAGE_SHIFT) / REGISTER_SIZE / 64,
	MAX_STARTED = 64,       /* CPUs that have run nothing, whose numbers are known */
	FRAME_ROOM = 1024, /* a smaller change of the stack pointer is a function's own frame */
};

/* Bits of the flags register, of CR0, and of an entry of a page table: package abi has them too (layout.go). */
enum { FLAG_INTERRUPT = 1 << 9, FLAG_AC = 1 << 18 };
#define CR0_PAGING (1ULL << 31)
enum { ENTRY_PRESENT = 1 << 0, ENTRY_LARGE = 1 << 7 };

/* Page permissions: Prot in types.go. */
enum { PERM_READ = 1, PERM_WRITE = 2, PERM_EXEC = 4 };

/*
 * The sharing byte of a granule. It only moves forward: untouched, then one
 * owner or trusted code only, then shared; never rewound. A constant one is
 * shared once it is written to, and until then no thread owns it by reading.
 */
enum {
	UNTOUCHED = 0,
	LAST_OWNER = 250, /* 1..250: touched by thread number owner-1 only */
	CONSTANT = 253,
	TRUSTED_ONLY = 254,
	SHARED = 255,
	NO_OWNER = 256, /* no byte has this value: every access looks further */
};

/* The reason of a run's stop: Why in types.go. */
enum why {
	STOP_NONE,
	STOP_ACCESS,
	STOP_BREAK,
	STOP_TRAP,
	STOP_FAULT,
	STOP_BUDGET,
	STOP_INSN,
	STOP_PRIVILEGED,
	STOP_UNMODELLED,
	STOP_DEVICE,
	STOP_FENCE,
};

/* FaultKind in types.go. */
enum fault {
	FAULT_NONE,
	FAULT_READ,
	FAULT_WRITE,
	FAULT_FETCH,
	FAULT_DIVIDE,
	FAULT_ILLEGAL,
	FAULT_PROTECTION,
	FAULT_BREAKPOINT,
	FAULT_BLOCK_READ,
	FAULT_BLOCK_WRITE,
	FAULT_STACK,
};

/* RunFlags in types.go. */
enum {
	RUN_STOP_SHARED = 1 << 0,
	RUN_STOP_ATOMIC = 1 << 1,
	RUN_SOLO = 1 << 2,
	RUN_QUIET = 1 << 3,
	RUN_WATCH = 1 << 4,
	RUN_RECORD_ALL = 1 << 5,
	RUN_TRACE = 1 << 6,
	RUN_IGNORE_BREAKS = 1 << 7,
	RUN_CHECK = 1 << 8,
	RUN_UNCHECKED = 1 << 9,
	RUN_STOP_POINTS = 1 << 10,
	RUN_STOPS = RUN_STOP_SHARED | RUN_STOP_ATOMIC | RUN_STOP_POINTS,
	RUN_HASH = 1 << 11,
	RUN_STACK_LOADS = 1 << 12,
	RUN_INTRUDES = 1 << 13,
	RUN_FILLS = 1 << 14,
	RUN_FAULTS = 1 << 15,
	RUN_NARRATE = 1 << 16,
	RUN_FENCES = 1 << 17,
	RUN_PARTIES = 1 << 18,
	RUN_OVERHEAR = 1 << 19,
};

/* AccessFlags in package trace, and Private in types.go. */
enum {
	ACCESS_WRITE = 1 << 0,
	ACCESS_ATOMIC = 1 << 1,
	ACCESS_RMW = 1 << 2,
	ACCESS_SILENT = 1 << 3,
	ACCESS_FAILED_CAS = 1 << 4,
	ACCESS_PRIVATE = 1 << 7,
};

/* Layout of trace.Access. */
struct access {
	uint64_t addr;
	uint64_t pc;
	uint32_t size;
	uint16_t insn;
	uint8_t flags;
	uint8_t unused;
};

/* General registers, in the order of Regs in types.go. */
enum {
	REG_RAX,
	REG_RBX,
	REG_RCX,
	REG_RDX,
	REG_RSI,
	REG_RDI,
	REG_RBP,
	REG_RSP,
	REG_R8,
	REG_R15 = REG_R8 + 7,
	REG_RIP,
	REG_RFLAGS,
	REG_FSBASE,
	REG_GSBASE,
	NREGS,
};

/* The differences of two contexts beside the general registers: Difference in
 * context.go. */
enum { DIFF_SSE = 1 << NREGS, DIFF_X87 = 1 << (NREGS + 1) };

/* One entry of the journal: the old value of a change. */
struct undo {
	uint64_t where; /* bits 0..47 place, 48..55 kind, 56..63 size in bytes */
	uint64_t old;
};

enum {
	UNDO_KIND_SHIFT = 48,
	UNDO_SIZE_SHIFT = 56,
	UNDO_MEMORY = 0, /* place: guest address; old: its bytes */
	UNDO_PERM = 1,   /* place: first page; old: number of pages << 8 | their permission */
	UNDO_FILL = 2,   /* place: guest address; old: number of bytes << 8 | the value of each; its size is 0 */
};

#define UNDO_PLACE_MASK ((UINT64_C(1) << UNDO_KIND_SHIFT) - 1)

/* Bytes that a half-executed instruction has read. */
struct held {
	uint64_t addr;
	uint32_t size;
	uint8_t bytes[MAX_EVENT];
};

/* Bytes that an instruction stores. */
struct stored {
	uint64_t addr;
	uint32_t size;
	uint8_t bytes[8];
};

/* An entry of what a run did, one after the other: Told in narrate.go. */
struct told {
	uint64_t addr;
	uint32_t insn; /* the instruction's number in the run */
	uint16_t size;
	uint8_t what;
	uint8_t unused;
};

enum { TOLD_INSN, TOLD_READ, TOLD_WRITE };

/* A saved CPU. */
enum { CONTEXT_WORDS = NREGS + 2 * (16 + 8) + 4 }; /* see context_words */

struct slot {
	uc_context *cpu;      /* invariant: saved into before it is restored from */
	uint64_t pc;          /* of the next instruction; the engine's own may be stale */
	uint64_t clock;       /* instructions completed since Start: the thread's time */
	uint64_t cr3;         /* of a bare machine */
	uint64_t saved;       /* the CPU's number among all that were ever saved: two with the same are equal */
	struct access poised; /* size 0, or the event that stopped the run */
	uint64_t expect[2];   /* what a poised compare-and-exchange compares with */
	bool cas;             /* the poised event is a locked compare-and-exchange */
	uint32_t parts;       /* not 0: inside the instruction at pc, behind that many of its events */
	uint32_t done;        /* bytes that it has stored, in the order of its stores */
	uint8_t nheld;
	struct held held[MAX_HELD];
};

/* Go's requests: Run in types.go. */
struct order {
	int32_t from;
	int32_t to; /* the slot to save into */
	int32_t thread;
	uint32_t flags;
	uint32_t allow;
	uint32_t set; /* registers to write, bit i for the i-th */
	uint64_t budget;
	uint64_t stop_at;
	uint64_t regs[NREGS];
	bool skip_break;
	bool skip_fence;
	bool reuse; /* the slot `from` may be given up for the result */
	bool user, permit; /* the processor is in user mode; the first instruction may be a privileged one */
	uint32_t port; /* what it reads from a port */
	uint64_t blind_lo, blind_len; /* accesses to [blind_lo, blind_lo + blind_len) are journaled and nothing else, */
	uint64_t links[MAX_LINKS]; /* and reads of [links[i], links[i] + link_len) */
	uint32_t nlinks, link_len;
	uint64_t stack_low;   /* the lowest byte of the thread's stack, */
	uint64_t beneath_lo;  /* and the memory below it */
	uint64_t beneath_len;
	uint64_t own_lo; /* with RUN_INTRUDES: [own_lo, own_lo + own_len) is the running handler's own */
	uint64_t own_len;
};

/* Results for Go: Stop in types.go. */
struct result {
	uint32_t why;
	uint32_t fault;
	uint64_t fault_addr;
	uint32_t fault_size;
	uint32_t len; /* length of the trap or privileged instruction */
	uint64_t device_addr; /* of the access to a device that stopped the run, or */
	uint32_t device_size; /* was permitted and is a store */
	bool device_write;
	uint32_t port; /* what a permitted instruction wrote to a port */
	uint64_t pc;
	uint64_t insns;
	struct access access;
	uint64_t expect[2]; /* see struct slot */
	bool cas;
	const char *detail;
	uint32_t parts; /* see struct slot */
	bool learned;
	bool jumped; /* with RUN_PARTIES: a handler was left by a jump */
	bool syscall;
	bool sysenter;
	bool raised; /* the fault is an exception of the processor's: number vector, */
	uint32_t error_code;
	uint8_t vector;
	uint8_t brk;
	uint32_t nfences;
	uint64_t regs[NREGS];
	uint32_t fences[MAX_FENCES]; /* records before each instruction that empties the store buffer */
};

/* A bare machine's processor, beside the general registers: BoardRegs in
 * board.go. */
struct board_regs {
	uint64_t cr0, cr2, cr3, cr4;
	uint64_t gdt, idt;
	uint64_t gdt_limit, idt_limit;
	uint64_t cs, ss;
	uint64_t task, task_limit;
};

/* The shared events of the instruction under way. */
struct events {
	uint64_t insn; /* whose they are: any other value means there are none */
	bool full;     /* no room to hold another read: no split any more */
	uint32_t parts;
	uint32_t done; /* see struct slot */
	uint8_t nheld;
	struct held held[MAX_HELD];
};

/* A CPU that has run nothing, and its number as in struct slot. */
struct started {
	uint64_t regs[NREGS];
	uint64_t saved;
};

/* How things were when a run began. */
struct begun {
	uint64_t journal; /* the journal's length */
	uint64_t first;   /* the length of what was told */
	bool resumed;     /* the run goes on inside an instruction */
};

/* A page of registers beyond the guest's memory. The engine finds bytes there,
 * put by the receiver of the accesses. */
struct device {
	uint64_t addr;
	uint8_t *page;
	uint64_t plain[PLAIN_WORDS]; /* bit i: the 16 bytes from 16 * i on are read without a stop */
};

/* Where the stack pointer has been, both ends included; see party.c. */
struct window {
	uint64_t lo;
	uint64_t hi;
};

/* A signal's handler that hasn't returned: where the stack pointer was when the
 * signal came, and a number that no other one of the execution has. */
struct interrupted {
	uint64_t sp;
	uint64_t serial;
};

/* A function, and the bytes of the stack that it uses: Frame in frame.go. */
struct frame {
	uint64_t pc;
	uint64_t size;
};

struct machine {
	/* Read or written by the hooks at every instruction and access. */
	uint64_t pc;         /* of the instruction under way */
	uint64_t insn;       /* its number in the run, from 1 */
	uint64_t alarm;      /* from this number on the code hook looks further */
	uint64_t code_lo;    /* class bytes cover [code_lo, code_lo + code_len), physical */
	uint64_t code_len;
	uint8_t *code;       /* class byte per code byte, see classify.h */
	uint8_t *perm;       /* permission byte per page */
	uint8_t *written;    /* byte per page: written.go */
	uint8_t *mem;        /* host address of guest address 0 */
	uint8_t *shadow;     /* sharing byte per granule */
	uint64_t owners;     /* how often a granule got an owner or became shared, or may have */
	bool *touched;       /* by page of sharing bytes: some aren't UNTOUCHED */
	bool *regions;       /* by page of touched: some are true */
	uint64_t space;      /* guest addresses are below this */
	uint32_t me;         /* the running thread's sharing byte, or NO_OWNER */
	uint32_t why;        /* enum why: a stop is under way */
	bool blind;          /* accesses are journaled and nothing else */
	bool any;            /* private accesses are recorded too */
	bool checking;       /* of accesses to blocks, see heap.c */
	bool watching;       /* trusted code, see Watch in types.go */
	bool counting;       /* RUN_STOPS */
	uint64_t atomic;     /* number of the latest locked instruction */
	struct {
		uint64_t insn;        /* number of the latest instruction whose operand is to be looked at */
		bool aligned;         /* it has to be aligned */
		enum control control; /* it is such a control word */
	} guard;
	struct {
		uint64_t at;               /* not 0: before this instruction, upper halves are put back: */
		uint64_t compared, target; /* RAX's, or that of the register that wasn't exchanged, */
		int8_t reg;                /* this one, as instructions number them; -1: none */
		uint64_t carry, flags;     /* number of the latest rcl or rcr of memory, the flags before */
	} halves;
	uint64_t wrote;      /* number of the latest instruction that stored, */
	uint64_t wrote_from; /* and the journal's length before it */
	uint64_t read_insn;  /* number of the latest instruction that loaded, */
	uint64_t read_addr;  /* and its latest load */
	uint32_t read_size;
	uint32_t echoes;     /* reports to come of a page-crossing load, */
	uint64_t echo_insn;  /* by this instruction */
	uint64_t echo_addr;  /* of the next one */

	struct undo *journal;
	uint64_t njournal, journal_cap;
	uint64_t looked;     /* written.go knows the stores of the entries before */
	struct access *records;
	uint64_t nrecords, record_cap;
	struct told *told;   /* what the runs with RUN_NARRATE did, see narrate.c */
	uint64_t ntold, told_cap;

	/* Of the run. */
	struct events events;
	uint32_t nevents;     /* events counted against order.allow */
	uint32_t owner;       /* the running thread's sharing byte */
	bool open;            /* the last record's instruction may still extend it */
	bool open_private;    /* it is a record of a private access */
	uint64_t cas;         /* number of the latest locked compare-and-exchange, */
	uint64_t expect[2];   /* what it compares with, */
	bool cas_pair;        /* and whether that is two words */
	uint64_t strings;     /* number of the latest instruction with two operands in memory to read */
	uint64_t stop_insn;   /* the instruction that a stop in the memory hook belongs to */
	uint64_t stop_pc;
	bool stop_in_access;  /* the stop was asked for by the memory hook */
	bool faulting;        /* the access under way faults */
	bool stop_at_fetch;   /* the instruction at the stop never began */
	bool replay;          /* run again to just before an instruction: nothing is recorded */
	uint64_t half_from;   /* not 0: 1 + the journal's length when held bytes had been put back */
	uint64_t half_to;     /* the journal's length after the instruction */
	uint8_t nothers;
	struct held others[MAX_HELD]; /* what the other threads had in place of the held bytes */
	uint32_t half_done;   /* of the instruction that the run began in: see struct slot */
	uint64_t store_value; /* what the store under way is about to store */
	struct stored stores[MAX_STORES]; /* of the instruction that the run ends in: what others see of it */
	uint32_t nstores;
	uint64_t clock;       /* of the thread, when the run began */
	uint64_t *trace;      /* 2 * TRACE_LEN program counters, in order */
	uint32_t ntrace;
	uint64_t traced;      /* number of the latest instruction in it */
	uint64_t learned;     /* number of the latest instruction whose class the run has learned */
	uint64_t path;        /* hash of the instructions and addresses of runs with RUN_HASH */
	uint64_t *repeat;     /* by a record's hash: number of the run << 32 | where it was seen last */
	uint32_t run;         /* number of the run */
	struct notes notes;

	/* Of the machine. */
	uc_engine *uc;
	bool is32, uniprocessor;
	bool bare;            /* the guest owns the machine: memory by physical addresses, code by virtual ones */
	uint32_t ndevices;
	struct device devices[MAX_DEVICES];
	uc_context *kernel;   /* see board_keep */
	bool user;            /* the run is one of a user program's code */
	uint64_t *marked;     /* instructions of programs, as those of `point`: nmarked, ascending */
	uint32_t nmarked;
	uint8_t *programs;    /* per page: user code was executed in it; NULL: there are no user programs */
	uint64_t *stale;      /* pages whose translations by the engine mustn't be used, */
	uint64_t nstale, stale_cap; /* see program.c */
	uint64_t program_page; /* the latest page of user code, by its address, */
	uint64_t program_at;  /* and where it is in memory */
	uint64_t code_bias;   /* see code_at */
	uint64_t cr3;         /* that the engine's look-aside buffer goes with */
	struct far *far;      /* see far.c */
	uint64_t heap_lo;     /* of the memory that is handed out in blocks */
	uint64_t heap_len;
	uint64_t hole_lo;     /* a part of that which isn't */
	uint64_t hole_len;
	const uint8_t *alive; /* a byte per granule of it: the bytes that may be accessed, */
	uint8_t flip;         /* after an exclusive or with this */
	const uint64_t *early; /* early_len pairs, ascending: code that reads ahead */
	uint32_t early_len;
	uint32_t nfilled;
	const struct frame *filled; /* functions whose frames are filled, ascending; frame.c */
	uint8_t fill[8];      /* by the last three bits of an address */
	uint64_t grave_lo;    /* the hull of all stacks of ended threads so far, or more */
	uint64_t grave_len;
	const uint64_t *graves; /* grave_slots pairs, by thread: such a stack, or 0, 0 */
	uint32_t grave_slots;
	bool all_shared;      /* every access is an event, for tests */
	uint32_t nwindows;    /* of party.c: all windows so far, and the latest one's number */
	uint32_t window;
	uint32_t nframes;     /* more than MAX_FRAMES: it isn't known which */
	struct window windows[MAX_WINDOWS];
	struct interrupted frames[MAX_FRAMES];
	uint32_t halt;        /* set from outside: the run is to end at the next instruction */
	bool ran;             /* code may have been translated */
	bool broken;          /* the engine has given up: it isn't run or closed any more */
	uint8_t *brk;         /* breakpoint class per code byte */
	uint8_t *point;       /* per code byte: 1 before instructions that RUN_STOP_POINTS stops at */
	uc_context *fresh;    /* the CPU before its first instruction */
	size_t part;          /* not 0: contexts end here, see part.c; with an exception, all of one is in */
	uc_context *whole;
	bool excepted;        /* the CPU may have what an exception has left */
	uint64_t plain[NREGS]; /* the CPU of a machine without an engine; in all its contexts the same: */
	struct board_regs plain_board;
	int32_t reg_at[NREGS]; /* offset of a register in a saved context, or -1 */
	int32_t exception_at; /* the same of the error code */
	size_t fpu_at, fpu_end; /* where x87 and SSE lie in one */
	int32_t live;         /* slot that the engine's CPU equals, or -1 */
	uint64_t saves;       /* so far */
	struct started started[MAX_STARTED];
	int32_t nslots;       /* in use */
	int32_t slot_cap;     /* with a context */
	int32_t slot_room;    /* there is memory for */
	struct slot *slots;
	struct batch *batches; /* of saved contexts */
	uint64_t late;        /* late stops so far */
	uint64_t clock_reads; /* rdtsc answered so far */
	uint32_t knobs;       /* KNOB_*: cures switched off, for tests */

	struct order order;
	struct result result;
};

#include "parts.h"
#endif
