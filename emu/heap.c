/*
 * Accesses to memory that is handed out in blocks: each byte is in a block that
 * is alive, or the access is an error.
 */
#include "machine.h"

/* The distance from a block's bytes that a function which reads ahead may read:
 * four vectors of 16 bytes beyond them, and as many before. Near the end of a
 * page glibc's strlen begins at a multiple of 64. */
enum {
	AHEAD = 64,
	BEFORE = 64,
};

static uint8_t bytes_of(uint64_t granule, uint64_t lo, uint64_t hi)
{
	uint64_t at = granule << GRANULE_SHIFT;
	uint8_t mask = 0xff;
	if (lo > at)
		mask &= 0xff << (lo - at);
	if (hi < at + 8)
		mask &= 0xff >> (at + 8 - hi);
	return mask;
}

static bool all_alive(const struct machine *m, uint64_t lo, uint64_t hi)
{
	for (uint64_t g = lo >> GRANULE_SHIFT; g <= (hi - 1) >> GRANULE_SHIFT; g++) {
		if (bytes_of(g, lo, hi) & ~(m->alive[g] ^ m->flip))
			return false;
	}
	return true;
}

static bool some_alive(const struct machine *m, uint64_t lo, uint64_t hi)
{
	for (uint64_t g = lo >> GRANULE_SHIFT; g < hi >> GRANULE_SHIFT; g++) {
		if (m->alive[g] ^ m->flip)
			return true;
	}
	return false;
}

bool reads_ahead(const struct machine *m, uint64_t pc)
{
	uint32_t lo = 0;
	uint32_t hi = m->early_len;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (pc < m->early[2 * mid])
			hi = mid;
		else if (pc >= m->early[2 * mid + 1])
			lo = mid + 1;
		else
			return true;
	}
	return false;
}

/* A string function of libc reads whole vectors, several at a time, before the
 * string's start and beyond its end. */
bool heap_allows(const struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	if (addr - m->hole_lo < m->hole_len)
		return true;
	uint64_t lo = addr - m->heap_lo;
	uint64_t hi = lo + size;
	if (hi > m->heap_len)
		hi = m->heap_len;
	if (all_alive(m, lo, hi))
		return true;
	if (write || !reads_ahead(m, m->pc))
		return false;
	uint64_t from = lo > AHEAD ? lo - AHEAD : 0;
	uint64_t to = hi + BEFORE < m->heap_len ? hi + BEFORE : m->heap_len;
	return some_alive(m, from, to);
}
