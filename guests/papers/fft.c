/* Coons et al., FFT: a parallel fast Fourier transform whose threads share one lock, the worst case of BPOR: each release
 * is a conservative point. N threads transform a slice of their own, K stages of it, and after each stage add to a sum
 * that they share, under the lock. Traces: (N*K)! / K!^N orders of the sections. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 8
#endif
#ifndef K
#define K 1
#endif
#define LEN 4
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int slice[N][LEN], sum, stages;
void *transform(void *a)
{
	int *x = slice[(intptr_t)a];
	for (int stage = 0; stage < K; stage++) {
		int half = stage % 2 ? 1 : 2, energy = 0;
		for (int i = 0; i < LEN; i++) {
			if (i & half) continue;
			int u = x[i], v = x[i + half];
			x[i] = u + v;
			x[i + half] = u - v;
		}
		for (int i = 0; i < LEN; i++) energy += x[i] * x[i];
		pthread_mutex_lock(&m);
		sum += energy;
		stages++;
		pthread_mutex_unlock(&m);
	}
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) {
		slice[i][0] = 1;
		pthread_create(&t[i], 0, transform, (void *)(intptr_t)i);
	}
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	assert(stages == N * K && sum == N * ((2 << K) - 2));
	return 0;
}
