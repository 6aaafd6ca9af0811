/* What a program on Linux asks of landgo. "landgo header --linux" prints this file.
 *
 * No library is needed. Without landgo the program runs all the same. A choice is 0. Where an
 * assumption doesn't hold, the program ends with status 0. The functions for conditions and
 * operations do nothing. */
#ifndef LANDGO_LINUX_H
#define LANDGO_LINUX_H

/* ---- Choices and assumptions -----------------------------------------------
 *
 * Both are system calls that Linux hasn't got. */
#if defined __x86_64__
#ifdef __cplusplus
extern "C" {
#endif

static inline __attribute__((always_inline)) long landgo_call(long number, long argument)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(argument) : "rcx", "r11", "memory");
	return result;
}

/* One of 0, 1, ... n-1: landgo runs the program with each. n is from 1 to 65536. */
static inline __attribute__((always_inline)) int landgo_choice(int n)
{
	long chosen = landgo_call(0x2c676f00, n);
	return chosen < 0 ? 0 : (int)chosen;
}

static inline __attribute__((always_inline)) void landgo_assume_fails(void)
{
	landgo_call(0x2c676f01, 0);
	for (;;)
		landgo_call(231, 0); /* without landgo: exit_group(0) */
}

/* An execution in which the condition doesn't hold isn't looked at any further: it is no
 * bug, and no pass. What other threads do that doesn't come after it counts all the same,
 * for it could have come before. */
#define landgo_assume(condition) ((condition) ? (void)0 : landgo_assume_fails())

#ifdef __cplusplus
}
#endif
#endif

/* ---- What the program is to do ---------------------------------------------
 *
 * landgo sees the calls of the functions below. */
/* weak: one copy is kept of all that include it, and it is never inlined. */
#ifdef __cplusplus
#define LANDGO_FUNCTION extern "C" __attribute__((weak, noinline, used))
#else
#define LANDGO_FUNCTION __attribute__((weak, noinline, used))
#endif
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
/* By this landgo knows of the functions where a program has lost its symbols. */
static const char landgo_functions[] __attribute__((used, section(".landgo"))) = "landgo-linux.h";

/* ---- Conditions ------------------------------------------------------------
 *
 * A condition is a function that looks at memory and returns 0 if it doesn't
 * hold. landgo runs it on the side. It may not wait, lock or make system calls,
 * and has to be defined in every state: it is run while other threads are in
 * the middle of their work. The thread that makes a condition has to stay.
 *
 *	LANDGO_CONDITION(whole, a + b == 100)      at the top level of a file
 *	landgo_always(whole, 0);                   in a function
 *
 * From landgo_always on, the condition has to hold wherever another thread may
 * run. Of landgo_always_when, wherever no thread has the lock, a mutex. Of
 * landgo_eventually, at one such place before the process ends. */
#define LANDGO_CONDITION(name, expression) \
	static int name(void *landgo_argument) { (void)landgo_argument; return !!(expression); }

LANDGO_FUNCTION void landgo_always(int (*holds)(void *), void *argument) { __asm__ volatile("" : : "r"(holds), "r"(argument) : "memory"); }
LANDGO_FUNCTION void landgo_always_when(int (*holds)(void *), void *argument, void *lock) { __asm__ volatile("" : : "r"(holds), "r"(argument), "r"(lock) : "memory"); }
LANDGO_FUNCTION void landgo_eventually(int (*holds)(void *), void *argument) { __asm__ volatile("" : : "r"(holds), "r"(argument) : "memory"); }

/* ---- Linearizable objects --------------------------------------------------
 *
 * landgo_assert_linearizable says what the object at an address is. Each call of
 * it is then written as
 *
 *	landgo_op(&queue, LANDGO_DEQUEUE, 0, dequeue(&queue))
 *
 * which is dequeue's result as a long; landgo_op_void if it has none. Or the two
 * functions, where a result has to be translated:
 *
 *	landgo_op_begin(&queue, LANDGO_DEQUEUE, 0);
 *	found = dequeue(&queue, &value);
 *	landgo_op_end(&queue, found ? value : LANDGO_EMPTY);
 *
 * Each execution's results have to be those of some order of the calls, in which
 * a call comes before all that began after its end. */
enum {
	LANDGO_QUEUE = 1, /* limit: how many values it holds; 0: any number */
	LANDGO_STACK,     /* the same */
	LANDGO_SET,
	LANDGO_REGISTER   /* limit: its first value */
};
enum {
	LANDGO_ENQUEUE = 1, LANDGO_PUSH = 1, /* of a value. With a limit: 0 if it is full */
	LANDGO_DEQUEUE, LANDGO_POP = 2,      /* a value, or LANDGO_EMPTY */
	LANDGO_ADD,      /* to a set: 0 if it was there */
	LANDGO_REMOVE,   /* 0 if it wasn't there */
	LANDGO_CONTAINS, /* 0 if it isn't there */
	LANDGO_WRITE,    /* to a register */
	LANDGO_READ,
	LANDGO_SWAP,     /* the value before */
	LANDGO_INCREASE  /* by a number: the value before */
};
#define LANDGO_EMPTY (-__LONG_MAX__ - 1L)

LANDGO_FUNCTION void landgo_linearizable(const volatile void *object, long kind, long limit) { __asm__ volatile("" : : "r"(object), "r"(kind), "r"(limit) : "memory"); }
#define landgo_assert_linearizable(object, kind) landgo_linearizable((object), (kind), 0)
#define landgo_assert_linearizable_limit(object, kind, limit) landgo_linearizable((object), (kind), (limit))

/* An object of your own kind: its specification is what it does if calls come one after
 * the other. init makes the first state, of this many bytes, which are 0 before; apply
 * changes it and returns the call's result. A state may not hold pointers to memory that
 * changes. */
LANDGO_FUNCTION void landgo_linearizable_as(const volatile void *object, void (*init)(void *state), long (*apply)(void *state, long op, long argument), unsigned long bytes) { __asm__ volatile("" : : "r"(object), "r"(init), "r"(apply), "r"(bytes) : "memory"); }
#define landgo_assert_linearizable_as(object, init, apply, bytes) landgo_linearizable_as((object), (init), (apply), (bytes))

LANDGO_FUNCTION void landgo_op_begin(const volatile void *object, long op, long argument) { __asm__ volatile("" : : "r"(object), "r"(op), "r"(argument) : "memory"); }
LANDGO_FUNCTION long landgo_op_end(const volatile void *object, long result) { __asm__ volatile("" : : "r"(object) : "memory"); return result; }
#define landgo_op(object, op, argument, call) \
	(landgo_op_begin((object), (op), (long)(argument)), landgo_op_end((object), (long)(call)))
#define landgo_op_void(object, op, argument, call) \
	(landgo_op_begin((object), (op), (long)(argument)), (void)(call), (void)landgo_op_end((object), 0))

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#undef LANDGO_FUNCTION
#endif
