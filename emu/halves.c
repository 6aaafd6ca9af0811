/*
 * The engine changes some things too early, or too much of them: they are put back here.
 *
 * One is the upper halves of registers at a compare-and-exchange of four bytes, in 64-bit
 * mode. A processor writes RAX only where the values differ, and a register that it
 * would exchange only where they don't. What it doesn't write keeps its upper half.
 * The engine writes both always, and clears them: they are put back before the next
 * instruction.
 *
 * The others are the flags of rcl and rcr with memory. The engine sets them before it stores, and a
 * run may stop before the store: the instruction would begin again with its own carry.
 */
#include "classify.h"
#include "machine.h"

static uint64_t upper(uint64_t v)
{
	return v >> 32;
}

/* The instruction under way is such a one. */
void halves_note(struct machine *m, struct insn x)
{
	if (!x.half)
		return;
	m->halves.compared = cpu_encoded(m, 0);
	m->halves.reg = x.target > 0 ? x.target : -1; /* RAX is always equal to itself */
	m->halves.target = m->halves.reg < 0 ? 0 : cpu_encoded(m, m->halves.reg);
	if (x.target == 0 || !(upper(m->halves.compared) | upper(m->halves.target)))
		return;
	m->halves.at = m->insn + 1;
	if (m->alarm > m->halves.at)
		m->alarm = m->halves.at;
}

/* It has ended. RAX has the value that was found: if it is the one that was compared
 * with, RAX wasn't to be written. */
void halves_restore(struct machine *m)
{
	bool equal = (uint32_t)cpu_encoded(m, 0) == (uint32_t)m->halves.compared;
	m->halves.at = 0;
	if (equal)
		cpu_write_encoded(m, 0, m->halves.compared);
	else if (m->halves.reg >= 0)
		cpu_write_encoded(m, m->halves.reg, m->halves.target);
}

/* The instruction under way rotates memory through the carry. */
void carry_note(struct machine *m)
{
	m->halves.carry = m->insn;
	m->halves.flags = cpu_read(m, REG_RFLAGS);
}

/* It hasn't ended, and is to begin again. */
void carry_restore(struct machine *m)
{
	uint64_t regs[NREGS] = { [REG_RFLAGS] = m->halves.flags };
	cpu_write(m, 1 << REG_RFLAGS, regs);
}
