/* abi.md §6: new_pages and remove_pages. */
#include "pebbles.h"

#define AT(n) ((char *)0x30000000 + (n) * PAGE_SIZE)

static int is_zero(const char *p, int n)
{
	while (n-- > 0)
		if (*p++ != 0)
			return 0;
	return 1;
}

int main(void)
{
	char here;

	assert(new_pages(AT(0) + 8, PAGE_SIZE) == ERR_ARGUMENT);
	assert(new_pages(AT(0), PAGE_SIZE + 8) == ERR_ARGUMENT);
	assert(new_pages(AT(0), 0) == ERR_ARGUMENT);
	assert(new_pages(AT(0), -PAGE_SIZE) == ERR_ARGUMENT);
	assert(new_pages((char *)USER_MEM_START - PAGE_SIZE, PAGE_SIZE) == ERR_ARGUMENT);
	assert(new_pages((char *)0xfffff000, PAGE_SIZE) == ERR_ARGUMENT);
	assert(new_pages((char *)0xffffe000, PAGE_SIZE) == ERR_MEMORY); /* the main stack */
	assert(new_pages((char *)USER_MEM_START, PAGE_SIZE) == ERR_MEMORY);
	assert(new_pages((char *)0x50000000, 0x10000000 + PAGE_SIZE) == ERR_MEMORY);

	/* AT(2) is in use: neither range is mapped at all. */
	assert(new_pages(AT(2), PAGE_SIZE) == 0);
	assert(new_pages(AT(0), 3 * PAGE_SIZE) == ERR_MEMORY);
	assert(new_pages(AT(2), 2 * PAGE_SIZE) == ERR_MEMORY);
	assert(new_pages(AT(0), 2 * PAGE_SIZE) == 0);
	assert(new_pages(AT(3), PAGE_SIZE) == 0);
	assert(is_zero(AT(0), 4 * PAGE_SIZE));

	/* Only what was mapped in one can be removed, and what is mapped again is
	 * zero again. */
	memset(AT(0), 0x5a, 2 * PAGE_SIZE);
	assert(remove_pages(AT(1)) == ERR_ARGUMENT);
	assert(remove_pages(AT(0) + 1) == ERR_ARGUMENT);
	assert(remove_pages((char *)((unsigned long)&here & -PAGE_SIZE)) == ERR_ARGUMENT);
	assert(remove_pages(AT(0)) == 0);
	assert(remove_pages(AT(0)) == ERR_ARGUMENT);
	assert(print(1, AT(0)) == ERR_POINTER);
	assert(new_pages(AT(1), PAGE_SIZE) == 0);
	assert(is_zero(AT(1), PAGE_SIZE));
	assert(print(1, AT(0)) == ERR_POINTER);
	return 0;
}
