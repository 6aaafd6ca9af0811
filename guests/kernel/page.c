/* Memory by the page: a stack of the addresses of those that are free. Nothing
 * is written into a free page, so code that finds one changed has found a thread
 * that used what it no longer had. */
#include "kernel.h"
#include "landgo.h"

/* kernel.ld, boot.S: where the kernel begins and ends, and what is mapped. */
extern char kernel_end[];
#ifndef ABOVE
#define ABOVE 0
#endif
enum { PAGES = 0x100000 / PAGE };
static const word memory_end = (word)ABOVE + 0x200000;

static void *free_pages[PAGES];
static int free_count;

void pages_setup(void)
{
	for (word page = memory_end - PAGE; page >= (word)kernel_end && free_count < PAGES; page -= PAGE)
		free_pages[free_count++] = (void *)page;
}

void pages_test(void)
{
	for (int i = 0; i < free_count; i++) {
		volatile word *words = free_pages[i];
		for (size_t w = 0; w < PAGE / sizeof *words; w++)
			words[w] = w ^ (word)words;
		for (size_t w = 0; w < PAGE / sizeof *words; w++)
			ASSERT(words[w] == (w ^ (word)words));
	}
}

void *page_allocate(void)
{
	bool on = interrupts_off();
	ASSERT(free_count > 0);
	void *page = free_pages[--free_count];
	landgo_allocated(page, PAGE);
	interrupts_restore(on);
	return page;
}

void page_free(void *page)
{
	bool on = interrupts_off();
	free_pages[free_count++] = page;
	landgo_freed(page);
	interrupts_restore(on);
}
