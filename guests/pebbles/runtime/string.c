/* What gcc calls by itself, and little more. */
#include "pebbles.h"

/* gcc would make a call of memset of memset's own loop. */
#define PLAIN_LOOPS __attribute__((optimize("no-tree-loop-distribute-patterns")))

PLAIN_LOOPS void *memset(void *p, int c, size_t n)
{
	for (char *q = p; n > 0; n--)
		*q++ = c;
	return p;
}

PLAIN_LOOPS void *memcpy(void *to, const void *from, size_t n)
{
	char *q = to;
	for (const char *p = from; n > 0; n--)
		*q++ = *p++;
	return to;
}

PLAIN_LOOPS void *memmove(void *to, const void *from, size_t n)
{
	char *q = to;
	const char *p = from;
	if (q <= p)
		return memcpy(to, from, n);
	while (n-- > 0)
		q[n] = p[n];
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;
	for (; n > 0; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;
	while (s[n] != '\0')
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}
