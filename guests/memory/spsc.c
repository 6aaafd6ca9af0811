/* A ring of one slot between one producer and one consumer: right on x86 without a fence. */
#include "memory.h"
static volatile int slot, head, tail;
static void *producer(void *a)
{
	for (int i = 1; i <= 2; i++) {
		while (tail - head == 1)
			;
		slot = i;
		tail = i;
	}
	return a;
}
static void *consumer(void *a)
{
	for (int i = 1; i <= 2; i++) {
		while (tail == head)
			;
		assert(slot == i);
		head = i;
	}
	return a;
}
int main(void) { two(producer, consumer); }
