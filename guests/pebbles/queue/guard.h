/* The ticket lock that is around each queue. On one processor its holder was
 * preempted if another thread has to wait, so waiting is yielding. */
#ifndef GUARD_H
#define GUARD_H

#include "pebbles.h"
#include "types.h"
#include "variant.h"

static inline void guard_lock(guard_t *g)
{
#if GUARD_PLAIN
	/* Two threads can get the same number. */
	unsigned ticket = g->next;
	g->next = ticket + 1;
#else
	unsigned ticket = 1;
	__asm__ volatile("lock xaddl %0, %1" : "+r"(ticket), "+m"(g->next) : : "memory");
#endif
	while (g->serving != ticket)
		yield(-1);
	__asm__ volatile("" : : : "memory");
}

static inline void guard_unlock(guard_t *g)
{
	__asm__ volatile("" : : : "memory");
	g->serving = g->serving + 1; /* no other thread writes it meanwhile */
}

#endif
