#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "classify.h"
#include "journal.h"

enum {
	FIRST_JOURNAL = 1 << 12,
	FIRST_RECORDS = 1 << 10,
	PAGE_BYTES = 1 << PAGE_SHIFT,
	FEW_PAGES = 8,        /* for fewer, a call takes as long as their faults */
	CODE_BUFFER = 64 << 20, /* of translated code; Unicorn's default reserves 1 GiB */
};

/*
 * Zero bytes that take memory only once they are touched. Huge pages would
 * give 2 MiB for each first touch, so they are declined.
 */
static uint8_t *reserve(uint64_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, n, MADV_NOHUGEPAGE);
	return p;
}

/* Asks the kernel for memory for whole pages of [p, p + n) at once. Much is going to be written
 * there, and a fault for each page takes longer. */
static void populate(const uint8_t *p, uint64_t n)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t lo = ((uintptr_t)p + PAGE_BYTES - 1) & -PAGE_BYTES;
	uintptr_t hi = ((uintptr_t)p + n) & -PAGE_BYTES;
	if (lo + FEW_PAGES * PAGE_BYTES <= hi)
		madvise((void *)lo, hi - lo, MADV_POPULATE_WRITE);
#else
	(void)p, (void)n;
#endif
}

/* The same for guest memory that is about to be loaded. */
void machine_populate(struct machine *m, uint64_t addr, uint64_t n)
{
	populate(m->mem + addr, n);
}

static void release(uint8_t *p, uint64_t n)
{
	if (p)
		munmap(p, n);
}

/* The engine's settings differ between its minor versions, so the library that
 * is loaded has to be of the one that this was compiled for. */
static const char *check_version(void)
{
	unsigned major;
	unsigned minor;
	uc_version(&major, &minor);
	if (major == UC_API_MAJOR && minor == UC_API_MINOR)
		return NULL;
	return "libunicorn isn't of the version that this program was built with: build it again";
}

static const char *open_engine(struct machine *m)
{
	const char *bad = check_version();
	if (bad)
		return bad;
	uc_err err = uc_open(UC_ARCH_X86, m->is32 ? UC_MODE_32 : UC_MODE_64, &m->uc);
	if (err)
		return uc_strerror(err);
	/* 2.0.1 ignores this, and executes the same instructions and more:
	 * classify refuses those. */
	err = uc_ctl_set_cpu_model(m->uc, UC_CPU_X86_HASWELL);
	if (err)
		return uc_strerror(err);
#if UC_API_MAJOR > 2 || UC_API_MINOR >= 1
	err = uc_ctl_set_tcg_buffer_size(m->uc, CODE_BUFFER);
	if (err)
		return uc_strerror(err);
#endif
	return NULL;
}

static bool reserve_all(struct machine *m)
{
	m->mem = reserve(m->space + SLACK);
	m->perm = reserve(m->space >> PAGE_SHIFT);
	m->written = reserve(m->space >> PAGE_SHIFT);
	m->shadow = reserve(m->space >> GRANULE_SHIFT);
	m->touched = (bool *)reserve(m->space >> GRANULE_SHIFT >> PAGE_SHIFT);
	m->regions = (bool *)reserve((m->space >> GRANULE_SHIFT >> PAGE_SHIFT >> PAGE_SHIFT) + 1);
	m->code = reserve(m->code_len + 1);
	m->brk = reserve(m->code_len + 1);
	m->point = reserve(m->code_len + 1);
	if (!(m->mem && m->perm && m->written && m->shadow && m->touched && m->regions && m->code && m->brk && m->point))
		return false;
	return true;
}

/* The same for what is known of the sharing of n granules. */
void machine_populate_sharing(struct machine *m, uint64_t granule, uint64_t n)
{
	populate(m->shadow + granule, n);
}

/* Asks for the memory of what is known of the code in [off, off + n): breakpoints lie everywhere. */
void machine_populate_code(struct machine *m, uint64_t off, uint64_t n)
{
	populate(m->code + off, n);
	populate(m->brk + off, n);
}

static bool allocate_all(struct machine *m)
{
	m->journal_cap = FIRST_JOURNAL;
	m->journal = malloc(m->journal_cap * sizeof *m->journal);
	m->record_cap = FIRST_RECORDS;
	m->records = malloc(m->record_cap * sizeof *m->records);
	m->trace = malloc(2 * TRACE_LEN * sizeof *m->trace);
	m->repeat = calloc(REPEAT_SLOTS, sizeof *m->repeat);
	return m->journal && m->records && m->trace && m->repeat;
}

struct machine *machine_open(bool engine, bool is32, uint64_t space, uint64_t code_lo, uint64_t code_len, const char **err)
{
	struct machine *m = calloc(1, sizeof *m);
	if (!m) {
		*err = "out of memory";
		return NULL;
	}
	m->is32 = is32;
	m->space = space;
	m->code_lo = code_lo;
	m->code_len = code_len;
	m->live = -1;
	if (!engine)
		context_plain(m);
	if (!reserve_all(m))
		*err = "the address space can't be reserved";
	else if (!allocate_all(m))
		*err = "out of memory";
	else
		*err = engine ? open_engine(m) : NULL;
	if (*err) {
		machine_close(m);
		return NULL;
	}
	return m;
}

/* Page permissions are checked in the memory hook: the engine only needs to
 * know which pages may hold code. Data that it took for executable would make
 * each store look for translated code. */
const char *machine_map(struct machine *m, uint64_t lo, uint64_t hi, bool code)
{
	uint32_t data = m->programs ? UC_PROT_ALL : UC_PROT_READ | UC_PROT_WRITE;
	uint32_t prot = code ? UC_PROT_READ | UC_PROT_EXEC : data;
	uc_err err = uc_mem_map_ptr(m->uc, lo, hi - lo, prot, m->mem + lo);
	return err ? uc_strerror(err) : NULL;
}

/* A permitted instruction reads from a port, or writes to one. */
static uint32_t on_port_read(uc_engine *uc, uint32_t port, int size, struct machine *m)
{
	(void)uc, (void)port, (void)size;
	return m->order.port;
}

static void on_port_write(uc_engine *uc, uint32_t port, int size, uint32_t value, struct machine *m)
{
	(void)uc, (void)port, (void)size;
	m->result.port = value;
}

static const char *hook_ports(struct machine *m)
{
	uc_hook h;
	uc_err err = uc_hook_add(m->uc, &h, UC_HOOK_INSN, (void *)on_port_read, m, (uint64_t)1, (uint64_t)0, UC_X86_INS_IN);
	if (!err)
		err = uc_hook_add(m->uc, &h, UC_HOOK_INSN, (void *)on_port_write, m, (uint64_t)1, (uint64_t)0, UC_X86_INS_OUT);
	return err ? uc_strerror(err) : NULL;
}

/*
 * One code hook: it is inlined into translated code only while it is alone. All
 * hooks come before the first run: translated code doesn't learn of later ones,
 * nor forget removed ones.
 */
const char *machine_hook(struct machine *m)
{
	const struct {
		int type;
		void *call;
	} hooks[] = {
		{ UC_HOOK_CODE, (void *)on_insn },
		{ UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_access },
		{ UC_HOOK_MEM_INVALID, (void *)on_invalid },
		{ UC_HOOK_INTR, (void *)on_interrupt },
		{ UC_HOOK_INSN_INVALID, (void *)on_bad_insn },
	};
	const uint64_t everywhere_lo = 1, everywhere_hi = 0;
	for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
		uc_hook h;
		uc_err err = uc_hook_add(m->uc, &h, hooks[i].type, hooks[i].call, m, everywhere_lo, everywhere_hi);
		if (err)
			return uc_strerror(err);
	}
	const char *failed = m->bare ? hook_ports(m) : far_open(m);
	return failed ? failed : context_init(m);
}

/* Forgets the knowledge of code in [lo, hi), which has been written anew. */
const char *machine_code_changed(struct machine *m, uint64_t lo, uint64_t hi)
{
	if (!m->ran) /* and so nothing is known: to clear it would take memory for it */
		return NULL;
	for (uint64_t a = lo; a < hi; a++)
		m->code[a - m->code_lo] &= CODE_BREAK;
	uc_err err = uc_ctl_remove_cache(m->uc, lo, hi);
	if (!err && m->code_bias)
		err = uc_ctl_remove_cache(m->uc, lo + m->code_bias, hi + m->code_bias);
	return err ? uc_strerror(err) : NULL;
}

void machine_close(struct machine *m)
{
	far_close(m);
	slots_free(m);
	if (m->kernel)
		uc_context_free(m->kernel);
	if (m->fresh)
		uc_context_free(m->fresh);
	if (m->whole)
		uc_context_free(m->whole);
	if (m->uc && !m->broken)
		uc_close(m->uc);
	release(m->mem, m->space + SLACK);
	release(m->perm, m->space >> PAGE_SHIFT);
	release(m->written, m->space >> PAGE_SHIFT);
	release(m->shadow, m->space >> GRANULE_SHIFT);
	release((uint8_t *)m->touched, m->space >> GRANULE_SHIFT >> PAGE_SHIFT);
	release((uint8_t *)m->regions, (m->space >> GRANULE_SHIFT >> PAGE_SHIFT >> PAGE_SHIFT) + 1);
	release(m->code, m->code_len + 1);
	release(m->brk, m->code_len + 1);
	release(m->point, m->code_len + 1);
	for (uint32_t i = 0; i < m->ndevices; i++)
		free(m->devices[i].page);
	free(m->programs);
	free(m->stale);
	free(m->marked);
	free((void *)m->early);
	free((void *)m->filled);
	free(m->journal);
	free(m->records);
	free(m->trace);
	free(m->told);
	free(m->repeat);
	free(m);
}
