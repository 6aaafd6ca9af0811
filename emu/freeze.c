/*
 * A processor's state as bytes that another process can put back. Unicorn's own
 * saved context is the state as the engine has it (lazy flags, hidden parts of
 * segments, x87, SSE), behind a header of the engine's own, which stays. The
 * state begins with rax.
 */
#include <string.h>

#include "machine.h"

/* The number of bytes; 0 if it can't be told where they begin. */
uint64_t context_frozen(const struct machine *m)
{
	return context_header(m) ? context_size(m) - context_header(m) : 0;
}

void context_freeze(const struct machine *m, int32_t slot, void *to)
{
	memcpy(to, (const char *)m->slots[slot].cpu + context_header(m), context_frozen(m));
}

/* Puts a state into a slot, which has to be a context of this machine's already. */
void context_thaw(struct machine *m, int32_t slot, const void *from, uint64_t pc, uint64_t clock)
{
	struct slot *s = &m->slots[slot];
	memcpy((char *)s->cpu + context_header(m), from, context_frozen(m));
	uc_context_reg_read(s->cpu, UC_X86_REG_CR3, &s->cr3);
	s->saved = ++m->saves;
	s->pc = pc;
	s->clock = clock;
	board_flush(m);
}
