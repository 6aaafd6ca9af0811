/*
 * Addresses beyond the guest's space. The engine drops an address's upper twelve bits before its
 * hooks see it: a pointer with a tag there would lead to what it leads to without. So this file fills
 * the engine's look-aside buffer. A page beyond the space gets a frame of its own, by which the hooks
 * find the address again. Where the guest has page tables, the engine raises the exception itself.
 */
#include <stdlib.h>

#include "machine.h"

/* No memory is at these, and no device. */
#define FAR_FRAMES (1ULL << 51)

/* More pages than these have the last one's frame: their bugs are found, with another address. */
#define MAX_FAR 4096

struct far {
	uint32_t n;
	uint64_t pages[MAX_FAR];
};

static uint64_t far_frame(struct far *f, uint64_t page)
{
	uint32_t i = 0;
	while (i < f->n && f->pages[i] != page)
		i++;
	if (i == f->n && f->n < MAX_FAR)
		f->pages[f->n++] = page;
	if (i == MAX_FAR)
		i--;
	return FAR_FRAMES + ((uint64_t)i << PAGE_SHIFT);
}

uint64_t far_address(const struct machine *m, uint64_t addr)
{
	uint64_t i = (addr - FAR_FRAMES) >> PAGE_SHIFT;
	if (m->far && i < m->far->n)
		return m->far->pages[i] | (addr & ((1ULL << PAGE_SHIFT) - 1));
	/* An engine that isn't asked gives 52 bits in some versions: extend the sign in all. */
	return (uint64_t)((int64_t)(addr << 12) >> 12);
}

#if UC_API_MAJOR > 2 || UC_API_MINOR >= 1
static bool on_fill(uc_engine *uc, uint64_t page, uc_mem_type type, uc_tlb_entry *entry, void *user)
{
	(void)uc, (void)type;
	struct machine *m = user;
	entry->paddr = page < m->space ? page : far_frame(m->far, page);
	entry->perms = UC_PROT_ALL;
	return true;
}
#endif

const char *far_open(struct machine *m)
{
	if (m->bare || m->is32)
		return NULL;
#if UC_API_MAJOR > 2 || UC_API_MINOR >= 1
	uc_hook h;
	m->far = calloc(1, sizeof *m->far);
	if (!m->far)
		return "out of memory";
	uc_err err = uc_ctl_tlb_mode(m->uc, UC_TLB_VIRTUAL);
	if (!err)
		err = uc_hook_add(m->uc, &h, UC_HOOK_TLB_FILL, (void *)on_fill, m, (uint64_t)1, (uint64_t)0);
	if (err)
		return uc_strerror(err);
#endif
	return NULL;
}

void far_close(struct machine *m) { free(m->far); }
