/*
 * A bare machine: the processor that the guest's own kernel controls.
 *
 * The engine executes what changes control registers, descriptor tables and
 * segments; package scheduler carries out what has to do with interrupts, ports
 * and halting. Here is what the engine needs to be told of, and what it forgets.
 */
#include "machine.h"

enum { CODE_SELECTOR = 8, DATA_SELECTOR = 16 };
enum { CR4_WIDE_ENTRIES = 1 << 5, EFER_LONG_MODE = 1 << 8 };

static const uint64_t cr0_paging = 1ULL << 31;
static const uint64_t cr0_write_protect = 1 << 16;

/* Turns paging on, as what a kernel begins with would have. In 64-bit mode the
 * engine is in long mode already, but hasn't been told so. On i386 pages are
 * protected from the kernel as well (Pintos; pintos-kaist does without). */
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
	cr0 |= cr0_paging;
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

/* Reads what a saved processor has beside general registers. */
void board_regs(struct machine *m, int32_t slot, struct board_regs *r)
{
	uc_context *c = m->slots[slot].cpu;
	uc_x86_mmr table = { 0 };
	uint16_t cs = 0;
	uint16_t ss = 0;
	*r = (struct board_regs){ 0 };
	uc_context_reg_read(c, UC_X86_REG_CR0, &r->cr0);
	uc_context_reg_read(c, UC_X86_REG_CR2, &r->cr2);
	uc_context_reg_read(c, UC_X86_REG_CR3, &r->cr3);
	uc_context_reg_read(c, UC_X86_REG_CR4, &r->cr4);
	uc_context_reg_read(c, UC_X86_REG_GDTR, &table);
	r->gdt = table.base;
	uc_context_reg_read(c, UC_X86_REG_IDTR, &table);
	r->idt = table.base;
	r->idt_limit = table.limit;
	uc_context_reg_read(c, UC_X86_REG_CS, &cs);
	uc_context_reg_read(c, UC_X86_REG_SS, &ss);
	r->cs = cs;
	r->ss = ss;
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
