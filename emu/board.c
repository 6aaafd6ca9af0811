/*
 * A bare machine: the processor that the guest's own kernel controls.
 *
 * The engine executes instructions that change control registers, descriptor
 * tables and segments. Package scheduler carries out those for interrupts,
 * ports and halting. Here is the state that the engine has to be given, and
 * that it forgets.
 */
#include <string.h>

#include "machine.h"

enum { CODE_SELECTOR = 8, DATA_SELECTOR = 16 };
enum { CR4_WIDE_ENTRIES = 1 << 5, EFER_LONG_MODE = 1 << 8 };

static const uint64_t cr0_write_protect = 1 << 16;

/* Turns paging on, as the loader of such a kernel would. In 64-bit mode the
 * engine is in long mode already, but hasn't been told so. On i386 pages are
 * protected from the kernel as well (some kernels do without). */
void board_paging(struct machine *m, uint64_t tables)
{
	uint64_t cr0 = 0;
	uint64_t cr4 = 0;
	uc_x86_msr efer = { .rid = 0xc0000080 };
	uc_reg_write(m->uc, UC_X86_REG_CR3, &tables);
	if (!m->is32) {
		uc_reg_read(m->uc, UC_X86_REG_CR4, &cr4);
		cr4 |= CR4_WIDE_ENTRIES;
		uc_reg_write(m->uc, UC_X86_REG_CR4, &cr4);
		uc_reg_read(m->uc, UC_X86_REG_MSR, &efer);
		efer.value |= EFER_LONG_MODE;
		uc_reg_write(m->uc, UC_X86_REG_MSR, &efer);
	}
	uc_reg_read(m->uc, UC_X86_REG_CR0, &cr0);
	cr0 |= CR0_PAGING;
	if (m->is32)
		cr0 |= cr0_write_protect;
	uc_reg_write(m->uc, UC_X86_REG_CR0, &cr0);
}

/* Gives the processor flat segments by a descriptor table that lies in memory
 * already, and keeps that as the state in which contexts begin. */
void board_start(struct machine *m, uint64_t gdt, uint32_t gdt_limit)
{
	static const int data[] = { UC_X86_REG_SS, UC_X86_REG_DS, UC_X86_REG_ES, UC_X86_REG_FS, UC_X86_REG_GS };
	uc_x86_mmr table = { .base = gdt, .limit = gdt_limit };
	uint64_t code = CODE_SELECTOR;
	uint64_t selector = DATA_SELECTOR;
	m->why = STOP_FAULT; /* in 32-bit mode loading a segment calls the memory hook */
	uc_reg_write(m->uc, UC_X86_REG_GDTR, &table);
	uc_reg_write(m->uc, UC_X86_REG_CS, &code);
	for (size_t i = 0; i < sizeof data / sizeof *data; i++)
		uc_reg_write(m->uc, data[i], &selector);
	uc_context_save(m->uc, m->fresh);
	m->live = -1;
}

/* Reads a saved processor's state beside general registers. */
void board_regs(struct machine *m, int32_t slot, struct board_regs *r)
{
	uc_context *c = m->slots[slot].cpu;
	uc_x86_mmr table = { 0 };
	uint16_t cs = 0;
	uint16_t ss = 0;
	*r = (struct board_regs){ 0 };
	if (!m->uc) {
		*r = m->plain_board;
		return;
	}
	uc_context_reg_read(c, UC_X86_REG_CR0, &r->cr0);
	uc_context_reg_read(c, UC_X86_REG_CR2, &r->cr2);
	uc_context_reg_read(c, UC_X86_REG_CR3, &r->cr3);
	uc_context_reg_read(c, UC_X86_REG_CR4, &r->cr4);
	uc_context_reg_read(c, UC_X86_REG_GDTR, &table);
	r->gdt = table.base;
	r->gdt_limit = table.limit;
	uc_context_reg_read(c, UC_X86_REG_IDTR, &table);
	r->idt = table.base;
	r->idt_limit = table.limit;
	uc_context_reg_read(c, UC_X86_REG_CS, &cs);
	uc_context_reg_read(c, UC_X86_REG_SS, &ss);
	r->cs = cs;
	r->ss = ss;
	uc_context_reg_read(c, UC_X86_REG_TR, &table);
	r->task = table.base;
	r->task_limit = table.limit;
}

/*
 * From user mode into the kernel. The engine can't be told to change its privilege
 * but by instructions of the guest's. So a processor is kept that is about to return
 * to user mode, and an interrupt goes on from that, with the registers and the page
 * tables that it finds. All else has to be the same in both.
 */

/* Keeps a processor that is about to return to user mode. */
void board_keep(struct machine *m, int32_t slot)
{
	if (!m->kernel && uc_context_alloc(m->uc, &m->kernel))
		return;
	uc_context_restore(m->uc, m->slots[slot].cpu);
	uc_context_save(m->uc, m->kernel);
	m->live = -1;
}

static bool alike(uc_context *a, uc_context *b)
{
	static const int regs[] = {
		UC_X86_REG_CR0, UC_X86_REG_CR4, UC_X86_REG_GDTR, UC_X86_REG_IDTR, UC_X86_REG_TR, UC_X86_REG_LDTR,
		UC_X86_REG_DS, UC_X86_REG_ES, UC_X86_REG_FS, UC_X86_REG_GS, UC_X86_REG_MXCSR,
		UC_X86_REG_FPSW, UC_X86_REG_FPCW, UC_X86_REG_FPTAG,
		UC_X86_REG_XMM0, UC_X86_REG_XMM1, UC_X86_REG_XMM2, UC_X86_REG_XMM3,
		UC_X86_REG_XMM4, UC_X86_REG_XMM5, UC_X86_REG_XMM6, UC_X86_REG_XMM7,
		UC_X86_REG_FP0, UC_X86_REG_FP1, UC_X86_REG_FP2, UC_X86_REG_FP3,
		UC_X86_REG_FP4, UC_X86_REG_FP5, UC_X86_REG_FP6, UC_X86_REG_FP7,
	};
	for (size_t i = 0; i < sizeof regs / sizeof *regs; i++) {
		uc_x86_mmr x[2] = { 0 };
		uc_x86_mmr y[2] = { 0 };
		uc_context_reg_read(a, regs[i], x);
		uc_context_reg_read(b, regs[i], y);
		if (memcmp(x, y, sizeof x))
			return false;
	}
	return true;
}

/* Makes `to` the processor of `from` in kernel mode. False: what isn't known of it
 * differs from the one that was kept. */
bool board_enter(struct machine *m, int32_t from, int32_t to)
{
	struct slot *a = &m->slots[from];
	struct slot *b = &m->slots[to];
	uint64_t regs[NREGS];
	if (!m->kernel || !alike(a->cpu, m->kernel))
		return false;
	context_regs(m, from, regs);
	uc_context_restore(m->uc, m->kernel);
	cpu_write(m, (1u << NREGS) - 1, regs);
	uc_reg_write(m->uc, UC_X86_REG_CR3, &a->cr3);
	uc_context_save(m->uc, b->cpu);
	b->saved = ++m->saves;
	b->pc = a->pc;
	b->clock = a->clock;
	b->cr3 = a->cr3;
	b->poised.size = 0;
	b->cas = false;
	b->parts = b->done = 0;
	b->nheld = 0;
	m->cr3 = a->cr3;
	m->live = to;
	return true;
}

/* After a context was restored: the look-aside buffer is that of the page tables
 * before, and only a write of CR3 empties it. */
void board_loaded(struct machine *m, const struct slot *s)
{
	if (s->cr3 == m->cr3)
		return;
	uc_reg_write(m->uc, UC_X86_REG_CR3, &s->cr3);
	m->cr3 = s->cr3;
}

/* Has the next context that is loaded empty the look-aside buffer: page tables
 * were changed behind the engine's back. */
void board_flush(struct machine *m)
{
	m->cr3 = UINT64_MAX;
	m->live = -1;
}
