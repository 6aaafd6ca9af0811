/*
 * Parties: which of the guest's own threads makes an access, where it switches
 * between them by itself. A thread of the kernel's then has many stacks, and a
 * signal's handler may come between any two of its instructions.
 *
 * A party is a window: a stretch of memory in which the stack pointer has moved by small steps.
 * What lies below the place where a signal came is the handler's, and no part of it. Each party
 * has a sharing byte of its own. One thread with a large frame may count as two parties, which
 * makes more memory shared than is. Two threads never count as one, as long as each has STEP
 * bytes of its stack left.
 *
 * Windows are never rewound: like the sharing bytes they only grow.
 */
#include "machine.h"

enum {
	STEP = 512, /* the largest that the stack pointer moves in one window; a signal's frame is larger */
	FIRST_HANDLER = 86,
	HANDLERS = 64, /* sharing bytes of handlers, by their serial numbers, */
	FIRST_WINDOW = FIRST_HANDLER + HANDLERS,
	LAST_WINDOW = LAST_OWNER, /* and of windows. Threads of the kernel's have those below */
};

/* The window that has an address; -1 if none has. */
static int32_t window_of(const struct machine *m, uint64_t sp)
{
	for (uint32_t i = 0; i < m->nwindows; i++)
		if (sp >= m->windows[i].lo && sp <= m->windows[i].hi)
			return (int32_t)i;
	return -1;
}

/* Whether another window has a part of [lo, hi]. */
static bool taken(const struct machine *m, uint32_t but, uint64_t lo, uint64_t hi)
{
	for (uint32_t i = 0; i < m->nwindows; i++)
		if (i != but && m->windows[i].lo <= hi && lo <= m->windows[i].hi)
			return true;
	return false;
}

/* Widens the latest window by a small step. */
static bool widen(struct machine *m, uint64_t sp)
{
	if (m->window >= m->nwindows)
		return false;
	struct window *w = &m->windows[m->window];
	uint64_t lo = sp < w->lo ? sp : w->lo;
	uint64_t hi = sp > w->hi ? sp : w->hi;
	if (w->lo - lo > STEP || hi - w->hi > STEP || taken(m, m->window, lo, hi))
		return false;
	w->lo = lo;
	w->hi = hi;
	return true;
}

/* The window of the stack pointer; MAX_WINDOWS if there is no room for another. */
static uint32_t enter_window(struct machine *m, uint64_t sp)
{
	int32_t found = window_of(m, sp);
	if (found >= 0)
		return m->window = (uint32_t)found;
	if (widen(m, sp))
		return m->window;
	if (m->nwindows == MAX_WINDOWS)
		return MAX_WINDOWS;
	m->windows[m->nwindows] = (struct window){ .lo = sp, .hi = sp };
	return m->window = m->nwindows++;
}

/* The sharing byte of the code that runs with a stack pointer. */
uint32_t party_at(struct machine *m, uint64_t sp)
{
	uint32_t w = enter_window(m, sp);
	if (w == MAX_WINDOWS || m->nframes > MAX_FRAMES)
		return SHARED;
	const struct interrupted *in = NULL;
	for (uint32_t i = 0; i < m->nframes; i++) {
		const struct interrupted *f = &m->frames[i];
		m->result.jumped |= sp >= f->sp && window_of(m, f->sp) == (int32_t)w;
		if (sp < f->sp && window_of(m, f->sp) == (int32_t)w && (!in || f->sp < in->sp))
			in = f;
	}
	if (!in)
		return FIRST_WINDOW + w;
	return in->serial < HANDLERS ? FIRST_HANDLER + (uint32_t)in->serial : SHARED;
}

/* The same of the instruction under way. */
uint32_t party_running(struct machine *m)
{
	return party_at(m, cpu_encoded(m, STACK_POINTER));
}

_Static_assert(FIRST_WINDOW + MAX_WINDOWS - 1 <= LAST_WINDOW, "a window has a sharing byte");
