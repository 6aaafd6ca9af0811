/* The thesis's indexermod: an indexer (004, Fig. 1) of which its slides say only that 120 traces are left. N = 5 threads
 * with one message each, which all hash to the same entry: each order in which they find their entries is a trace, 5!. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 5
#endif
#define SIZE 128
atomic_int table[SIZE];
void *insert(void *a)
{
	int message = (int)(intptr_t)a * SIZE + 11;
	int at = message * 7 % SIZE;
	for (int empty = 0; !atomic_compare_exchange_strong(&table[at], &empty, message); empty = 0) at = (at + 1) % SIZE;
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, insert, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	return 0;
}
