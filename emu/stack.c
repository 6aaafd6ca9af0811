/*
 * Accesses to stacks that are none of the thread's: below its own, and in that of a
 * thread that has ended.
 */
#include "classify.h"
#include "machine.h"

enum { PUSH_ROOM = 256 }; /* no instruction pushes more, but for enter with a frame */

/* Whether a store to addr, which is below the thread's stack, is made by it as to
 * its stack: with its stack pointer there too, or in moving it there. */
bool overflows(const struct machine *m, uint64_t addr)
{
	const struct order *o = &m->order;
	uint64_t sp = cpu_encoded(m, STACK_POINTER);
	uint64_t below = o->beneath_lo + o->beneath_len - addr; /* the end of the stack */
	if (sp < o->stack_low)
		return o->stack_low - sp <= o->beneath_len;
	return sp - o->stack_low + below <= PUSH_ROOM && pushes(m->mem + code_at(m, m->pc), m->is32);
}

/* A stack, or a part of one, that no thread but its own may use any more. */
bool in_grave(const struct machine *m, uint64_t addr, uint32_t size)
{
	for (uint32_t i = 0; i < m->grave_slots; i++) {
		if ((int32_t)i != m->order.thread && addr < m->graves[2 * i + 1] && addr + size > m->graves[2 * i])
			return true;
	}
	return false;
}
