/* What the programs of this folder share. Racy variables are volatile: plain loads and stores
 * of the processor, in the order of the source. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#define MFENCE() __asm__ volatile("mfence" : : : "memory")
/* The cure: with -DFIXED a fence between a store and a load that mustn't pass it. */
#ifdef FIXED
#define FENCE() MFENCE()
#else
#define FENCE() __asm__ volatile("" : : : "memory")
#endif
#define COMPILER() __asm__ volatile("" : : : "memory")
#define CAS(p, old, new) __sync_bool_compare_and_swap(p, old, new)
static inline void two(void *(*f)(void *), void *(*g)(void *))
{
	pthread_t t, u;
	pthread_create(&t, 0, f, (void *)0);
	pthread_create(&u, 0, g, (void *)1);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
