/* Tells landgo what a kernel's scheduler does. Include this header, and call
 * its functions at the places that their comments name. Each is empty: landgo
 * sees the call, and on any other machine nothing happens.
 *
 * A thread is named by a number that isn't 0 and that no other living thread
 * has: its id, or the address of its structure. Call them with interrupts off,
 * but for landgo_booted, landgo_locking and landgo_unlocked.
 *
 * The first seven are what landgo needs. A running thread is a ready one: it
 * needn't be told again when it is chosen. */
#ifndef LANDGO_H
#define LANDGO_H

#ifdef LANDGO_SILENT /* the kernel as if it had no such calls */
#define LANDGO_TELL(name, ...) static inline void landgo_##name(__VA_ARGS__) {}
#else
/* weak: one copy is kept of all that include it, and it is never inlined or
 * called in another way than the ABI's. */
#define LANDGO_TELL(name, ...) \
	__attribute__((weak, noinline, used)) void landgo_##name(__VA_ARGS__) { __asm__ volatile(""); }
#endif
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/* The kernel is up: checking begins here. The caller is the thread that
 * landgo_switch named last. */
LANDGO_TELL(booted, void)
/* A thread exists. It can't run yet. Its creator is the one that runs. */
LANDGO_TELL(created, unsigned long thread)
/* It can run: it has been put on the ready list. */
LANDGO_TELL(ready, unsigned long thread)
/* It can't run until it is ready again: it waits for another thread. */
LANDGO_TELL(unready, unsigned long thread)
/* It can't run until it is ready again: it waits for time to pass. */
LANDGO_TELL(sleep, unsigned long thread)
/* From here it runs: called each time beside the switch of stacks, before it or
 * after it, with nothing between but what the switch itself does. */
LANDGO_TELL(switch, unsigned long thread)
/* It will never run again after the next switch. */
LANDGO_TELL(exited, unsigned long thread)

/* It is the thread that runs when no other can. */
LANDGO_TELL(idle, unsigned long thread)
/* A timer interrupt chooses no thread of lower priority while one of higher is
 * ready. For kernels that have priorities, after created and at each change.
 * landgo checks this, and ignores priorities if it doesn't hold. */
LANDGO_TELL(priority, unsigned long thread, long priority)

/* The caller is about to acquire something that threads wait for, or has
 * released it: the points lock and unlock of --pp. */
LANDGO_TELL(locking, const void *object)
LANDGO_TELL(unlocked, const void *object)

/* Memory was given out, or taken back: access to freed memory, until it is
 * given out again, is reported. */
LANDGO_TELL(allocated, const void *memory, unsigned long bytes)
LANDGO_TELL(freed, const void *memory)

/* The thread's stack begins at the lowest of its bytes. A store below it, with
 * the stack pointer there, is an overflow. After created. */
LANDGO_TELL(stack, unsigned long thread, const void *lowest)

/* Memory on which only the choice of the next thread depends, such as a ready
 * list. Accesses to it with interrupts off don't show the order in which they
 * were made. Before booted. */
LANDGO_TELL(scheduling, const void *memory, unsigned long bytes)

/* The kernel gives up: message says why. */
LANDGO_TELL(panicked, const char *message)

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#undef LANDGO_TELL
#endif
