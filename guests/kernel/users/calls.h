/* What the kernel and its programs agree on. */
#ifndef CALLS_H
#define CALLS_H

/* System calls: the number in eax, an argument in ebx. */
enum { CALL_EXIT, CALL_WAIT, CALL_LOCK, CALL_UNLOCK, CALL_ADD, CALL_READ, CALL_TEST, CALL_FAIL };

/* What a process finds where. */
enum { PROGRAM_AT = 0x1000, STACK_AT = 0x3000, SHARED_AT = 0x5000 };

/* CALL_TEST: what the processes are to do. */
enum { TEST_LOCK, TEST_RACE, TEST_ADD, TEST_BOTH };

enum { PROCESSES = 2 };

#endif
