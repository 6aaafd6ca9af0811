/*
 * An instruction's meaning to the machine, from its bytes. Decided once per
 * address, and kept in a class byte:
 *
 *   bit 7      the kind is known
 *   bit 6      there is a breakpoint
 *   bit 5      the instruction has been seen to make one access only (probe.c)
 *   bits 0..4  enum kind
 */
#ifndef LANDGO_CLASSIFY_H
#define LANDGO_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CODE_KNOWN = 0x80,
	CODE_BREAK = 0x40,
	CODE_SINGLE = 0x20,
	CODE_KIND = 0x1f,
};

/* Exceptions. */
enum {
	VECTOR_DIVIDE = 0,
	VECTOR_DEBUG = 1,
	VECTOR_BREAKPOINT = 3,
	VECTOR_ILLEGAL = 6,
	VECTOR_DEVICE = 7,
	VECTOR_DOUBLE = 8,
	VECTOR_STACK = 12,
	VECTOR_PROTECTION = 13,
	VECTOR_PAGE = 14,
	VECTOR_FLOAT = 16,
	VECTOR_SIMD = 19,
};

enum kind {
	KIND_PLAIN,
	KIND_LOCKED,     /* lock prefix, or xchg with memory */
	KIND_CAS,        /* lock cmpxchg */
	KIND_CAS_PAIR,   /* lock cmpxchg8b, cmpxchg16b */
	KIND_STRINGS,    /* cmps: two reads that are two accesses, even side by side */
	KIND_FENCE,      /* mfence */
	KIND_CPUID,
	KIND_RDTSC,
	KIND_RDTSCP,
	KIND_TRAP,       /* int n, syscall, sysenter */
	KIND_ILLEGAL,    /* ud2 and what doesn't exist */
	KIND_BREAKPOINT, /* int3, int1 */
	KIND_PRIVILEGED,
	KIND_UNMODELLED,
	KIND_CROSSING,   /* plain, but its last byte is in another page */
	KIND_FILL,       /* rep stos: a kernel's boot fills its memory so */
	KIND_STACK,      /* loads the stack pointer: on a bare machine a switch of stacks */
	KIND_ALIGNED,    /* its operand in memory has 16 bytes, and is aligned */
	KIND_CONTROL,    /* loads a control word, or flags, from memory */
	KIND_X87,        /* what the engine computes wrongly: fprem, fyl2x and the like */
	KIND_COMPARE,    /* cmpxchg of four bytes without a lock, in 64-bit mode */
	KIND_CARRY,      /* rcl or rcr of memory: halves.c */
	KIND_FRAME,      /* plain, and the first of a function whose frame is filled: frame.c */
};

/* The control words that an instruction of KIND_CONTROL loads. */
enum control {
	CONTROL_NONE,
	CONTROL_MXCSR, /* SSE's */
	CONTROL_X87,
	CONTROL_BOTH,  /* fxrstor */
	CONTROL_FLAGS, /* the processor's flags */
};

/* The prefix that is a part of an SSE instruction's opcode. */
enum mandatory {
	PREFIX_NONE,
	PREFIX_66,
	PREFIX_F3,
	PREFIX_F2,
};

/* An instruction taken apart as far as its kind needs. */
struct insn {
	enum kind kind;
	const char *name; /* for KIND_PRIVILEGED and KIND_UNMODELLED */
	uint8_t len;      /* for KIND_TRAP, KIND_BREAKPOINT, KIND_PRIVILEGED, KIND_CPUID, KIND_RDTSC, KIND_RDTSCP, KIND_X87 */
	uint8_t vector;   /* for KIND_TRAP int n, KIND_BREAKPOINT */
	bool syscall;
	bool sysenter;
	bool wide;        /* REX.W: cmpxchg16b rather than cmpxchg8b */
	bool system;      /* KIND_UNMODELLED, but a kernel may: it loads segments and the like */
	bool flags;       /* popf, which for kernels is like sti or cli */
	bool fill;        /* rep stos of bytes or of four */
	bool stack;       /* loads the stack pointer from a register or memory */
	bool aligned;     /* KIND_ALIGNED, and fxrstor */
	enum control control;
	uint8_t x87;      /* for KIND_X87: its second byte, which says the function */
	bool half;        /* cmpxchg of four bytes, in 64-bit mode: halves.c */
	int8_t target;    /* the register, as instructions number them, that it may exchange; -1: memory */
};

/* x87's functions of KIND_X87. */
enum x87 {
	X87_F2XM1 = 0xF0,
	X87_FYL2X = 0xF1,
	X87_FPATAN = 0xF3,
	X87_FPREM1 = 0xF5,
	X87_FPREM = 0xF8,
	X87_FYL2XP1 = 0xF9,
};

/*
 * Decodes the instruction at p; n bytes can be read. All machines and all
 * versions of the engine must model the same instructions. So the opcode
 * decides, not the engine's abilities.
 */
struct insn classify(const uint8_t *p, uint32_t n, bool is32);

/* Whether an SSE instruction's operand in memory has to be aligned; opcode has
 * four bytes, from behind the prefixes. operand.c, like the next. */
bool needs_alignment(const uint8_t *opcode, enum mandatory p);

/* Whether an instruction may have a lock prefix. */
bool lockable(const uint8_t *opcode);

/* The register, as instructions number them, that an instruction of KIND_STACK
 * moves into the stack pointer as it is; -1 for other loads. */
int stack_source(const uint8_t *p, bool is32);

/* Whether an instruction pushes. */
bool pushes(const uint8_t *p, bool is32);

enum { STACK_POINTER = 4 }; /* its number among the registers */

#endif
