/*
 * What a run depends on that recall.go may keep. recall.c notes it; the hooks say what can't be
 * noted. Included by machine.h.
 */
#ifndef LANDGO_RECALL_H
#define LANDGO_RECALL_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_NOTED = 64 };

/* Bytes that a run depends on, or has stored to. */
struct noted {
	uint64_t addr;
	uint64_t value; /* the bytes before */
	uint8_t size;   /* 8 at most */
	uint8_t kind;   /* NOTED_* */
};

enum {
	NOTED_VALUE = 1 << 0, /* the run depends on these bytes, */
	NOTED_STORE = 1 << 1, /* and has written to them; */
	NOTED_ACCESS = 1 << 2, /* their page has to allow it */
	NOTED_HELD = 1 << 3,  /* the run begins with other bytes there, which are the context's */
};

/* The notes of one run. */
struct notes {
	bool on;       /* the run is to be kept, */
	bool unusable; /* and can't be: it depends on what isn't noted */
	uint32_t n;
	struct noted all[MAX_NOTED];
};

#endif
