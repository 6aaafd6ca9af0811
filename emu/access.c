/*
 * The memory hook: called before every load and store. It checks permissions,
 * keeps the journal, learns which granules are shared, and hands accesses to
 * those on as events.
 */
#include <string.h>

#include "journal.h"

/* A load that crosses a page may be reported three times: whole, then its two
 * aligned halves (Unicorn before 2.1.2). Recognised by the exact addresses. */
static bool is_echo(struct machine *m, uint64_t addr, uint32_t size)
{
	if (m->echo_insn != m->insn || !m->echoes || addr != m->echo_addr)
		return false;
	m->echoes--;
	m->echo_addr += size;
	return true;
}

static void expect_echoes(struct machine *m, uint64_t addr, uint32_t size)
{
	if (m->knobs & KNOB_NO_ECHO)
		return;
	m->echo_insn = m->insn;
	m->echo_addr = addr & ~(uint64_t)(size - 1);
	m->echoes = 2;
}

/* Whether a handler reaches out of its part of its thread's stack. */
static bool intrudes(struct machine *m, uint64_t granule)
{
	return (m->order.flags & RUN_INTRUDES) && (granule << GRANULE_SHIFT) - m->order.own_lo >= m->order.own_len;
}

static void note_touched(struct machine *m, uint64_t granule)
{
	bool *page = &m->touched[granule >> PAGE_SHIFT];
	if (unlikely(!*page))
		*page = m->regions[granule >> PAGE_SHIFT >> PAGE_SHIFT] = true;
}

/* An access to a constant granule: a write makes it shared. */
static bool touch_constant(struct machine *m, uint8_t *s, bool write)
{
	if (!write)
		return false;
	m->result.learned = true;
	m->owners++;
	*s = SHARED;
	return true;
}

/* Marks a granule as touched by the running thread. Reports whether it is
 * shared. */
static bool touch(struct machine *m, uint64_t granule, bool write)
{
	uint8_t *s = &m->shadow[granule];
	if (*s == SHARED)
		return true;
	note_touched(m, granule);
	if (m->all_shared) {
		m->owners++;
		*s = SHARED;
		return true;
	}
	if (*s == CONSTANT)
		return touch_constant(m, s, write);
	bool intruder = intrudes(m, granule);
	if (*s == m->owner && !intruder)
		return false;
	m->owners++;
	if (intruder) {
		m->result.learned |= *s != UNTOUCHED;
		*s = SHARED;
		return true;
	}
	if (*s == UNTOUCHED) {
		*s = (uint8_t)m->owner;
		return m->owner == SHARED;
	}
	m->result.learned = true;
	*s = *s == TRUSTED_ONLY ? (uint8_t)m->owner : SHARED;
	return *s == SHARED;
}

/* The same for trusted code: only its accesses to memory that untrusted code of
 * another thread touched matter. */
static bool touch_trusted(struct machine *m, uint64_t granule, bool write)
{
	uint8_t *s = &m->shadow[granule];
	if (*s == SHARED)
		return true;
	if (*s == CONSTANT)
		return touch_constant(m, s, write);
	note_touched(m, granule);
	if (*s == UNTOUCHED)
		*s = TRUSTED_ONLY;
	if (*s == TRUSTED_ONLY || (*s == m->owner && !intrudes(m, granule)))
		return false;
	m->result.learned = true;
	m->owners++;
	*s = SHARED;
	return true;
}

static bool touch_all(struct machine *m, uint64_t addr, uint64_t last, bool write)
{
	bool (*one)(struct machine *, uint64_t, bool) = m->watching ? touch_trusted : touch;
	uint64_t first_granule = addr >> GRANULE_SHIFT;
	uint64_t last_granule = last >> GRANULE_SHIFT;
	if (unlikely(m->order.flags & RUN_PARTIES))
		m->owner = party_running(m);
	bool shared = one(m, first_granule, write);
	if (last_granule != first_granule)
		shared |= one(m, last_granule, write);
	return shared;
}

/* Remembers the latest load of the thread's own memory: a split instruction
 * may have made it before its first event. */
static void note_read(struct machine *m, uint64_t addr, uint32_t size)
{
	m->read_insn = m->insn;
	m->read_addr = addr;
	m->read_size = size;
}

/* Like check_block, of a stack whose thread has ended. Such an access is to
 * memory that another thread touched, or made while no other thread exists. */
static inline void check_grave(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	if (likely(addr - m->grave_lo >= m->grave_len) || !m->checking || m->why || !in_grave(m, addr, size))
		return;
	stop_fault(m, write ? FAULT_BLOCK_WRITE : FAULT_BLOCK_READ, addr, size);
}

static void look_at(struct machine *m, uint64_t addr, uint32_t size, bool write, int64_t value)
{
	bool solo = m->order.flags & RUN_SOLO;
	bool shared = !solo && touch_all(m, addr, addr + size - 1, write);
	bool silent = write && !memcmp(m->mem + addr, &value, size);
	if (shared)
		event_access(m, addr, size, write, silent);
	else if (m->any)
		record_private(m, addr, size, write, silent);
	if (!shared && !write)
		note_read(m, addr, size);
	check_grave(m, addr, size, write);
}

/* Whether an access of the instruction under way may be seen in parts. */
static inline bool divisible(const struct machine *m)
{
	return !m->uniprocessor && m->atomic != m->insn && !m->why;
}

/* Whether an access concerns only the thread that a kernel's handler came over. */
static bool passed_over(const struct machine *m, uint64_t addr, bool write)
{
	if (addr - m->order.blind_lo < m->order.blind_len)
		return true;
	for (uint32_t i = 0; !write && i < m->order.nlinks; i++)
		if (addr - m->order.links[i] < m->order.link_len)
			return true;
	return false;
}

/* An access that crosses a cache line is two, one after the other. */
static void look_further(struct machine *m, uint64_t addr, uint32_t size, bool write, int64_t value)
{
	if (unlikely(m->order.blind_len) && passed_over(m, addr, write))
		return;
	uint32_t to_line = LINE - addr % LINE;
	m->store_value = (uint64_t)value;
	if (unlikely(to_line < size) && divisible(m)) {
		look_at(m, addr, to_line, write, value);
		if (!m->why)
			look_at(m, addr + to_line, size - to_line, write, (int64_t)((uint64_t)value >> to_line * 8));
		return;
	}
	look_at(m, addr, size, write, value);
}

/* Remembers the bytes that a store is about to overwrite. */
static void note_store(struct machine *m, uint64_t addr, uint32_t size)
{
	if (m->wrote != m->insn) {
		m->wrote = m->insn;
		m->wrote_from = m->njournal;
	}
	journal_memory(m, addr, size);
}

/* The part of an access that other threads can observe. */
static inline void observe(struct machine *m, uint64_t addr, uint32_t size, bool write, int64_t value)
{
	uint64_t last = addr + size - 1;
	if (likely(m->shadow[addr >> GRANULE_SHIFT] == m->me && m->shadow[last >> GRANULE_SHIFT] == m->me)) {
		if (!write)
			note_read(m, addr, size);
		return;
	}
	look_further(m, addr, size, write, value);
}

/* The same of an access that is going to fault. */
static void observe_fault(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	if (!(m->order.flags & RUN_SOLO) && touch_all(m, addr, addr + size - 1, true))
		event_fault(m, addr, size, write);
}

/* After observe: an access to a block that threads share is an event first,
 * because its result depends on the others. It is an error when it is made. */
static void check_block(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	if (!m->checking || m->why || heap_allows(m, addr, size, write))
		return;
	stop_fault(m, write ? FAULT_BLOCK_WRITE : FAULT_BLOCK_READ, addr, size);
}

/* What is kept of an access, whatever it is to. One that the half-executed instruction
 * made before isn't made again. */
static void tell(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	if (m->order.flags & RUN_HASH)
		hash_path(m, addr);
	if ((m->order.flags & RUN_NARRATE) && !half_covers(m, addr, size, write))
		narrate(m, addr, size, write ? TOLD_WRITE : TOLD_READ);
}

void on_access(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value, void *user)
{
	(void)uc;
	struct machine *m = user;
	uint64_t last = addr + (uint32_t)size - 1;
	bool write = type == UC_MEM_WRITE;
	if (unlikely(m->guard.insn == m->insn) && !m->why && operand_refused(m, addr, (uint32_t)size))
		return;
	if (unlikely(last >= m->space || last < addr)) {
		access_beyond(m, addr, size, write);
		return;
	}
	if (unlikely(m->why)) {
		/* A late stop: the instruction goes on to its end. */
		if (write)
			journal_memory(m, addr, size);
		return;
	}
	if (unlikely(m->order.flags & (RUN_HASH | RUN_NARRATE)) && !m->replay)
		tell(m, addr, (uint32_t)size, write);
	uint64_t page = addr >> PAGE_SHIFT;
	uint64_t last_page = last >> PAGE_SHIFT;
	uint8_t need = write ? PERM_WRITE : PERM_READ;
	if (unlikely(page != last_page && m->programs != NULL) && program_parted(m, page << PAGE_SHIFT)) {
		if (write)
			note_store(m, addr, size);
		stop_in_access(m);
		stop_unmodelled(m, "an access across two pages of a user program that aren't side by side in memory");
		return;
	}
	if (unlikely(!(m->perm[page] & m->perm[last_page] & need)) && (write || !half_covers(m, addr, size, false))) {
		if (write)
			note_store(m, addr, size);
		uint64_t bad = m->perm[page] & need ? last_page << PAGE_SHIFT : addr;
		m->notes.unusable = true; /* it depends on permissions that aren't there */
		if ((m->order.flags & RUN_FAULTS) && !m->blind)
			observe_fault(m, addr, size, write);
		stop_fault(m, write ? FAULT_WRITE : FAULT_READ, bad, size);
		return;
	}
	if (write) {
		note_store(m, addr, size);
		if (unlikely(addr - m->order.beneath_lo < m->order.beneath_len) && overflows(m, addr)) {
			stop_fault(m, FAULT_STACK, addr, size);
			return;
		}
		if (unlikely(m->programs != NULL) && (m->programs[page] | m->programs[last_page]))
			program_stored(m, addr, size);
	} else {
		if (unlikely(m->echoes) && is_echo(m, addr, size))
			return;
		if (unlikely(page != last_page))
			expect_echoes(m, addr, size);
	}
	if (!m->blind) {
		observe(m, addr, size, write, value);
	} else {
		if (unlikely(m->any) && !m->replay)
			record_private(m, addr, size, write, false);
		check_grave(m, addr, size, write);
	}
	if (unlikely(addr - m->heap_lo < m->heap_len))
		check_block(m, addr, size, write);
	if (unlikely(m->notes.on))
		note_access(m, addr, (uint32_t)size, write);
}
