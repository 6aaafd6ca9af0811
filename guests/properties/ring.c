/* A ring buffer of two places with one lock. The fault: get advances its index in a second
 * critical section, so that two threads may get one value. The cure: one section. */
#include <pthread.h>
#include "landgo-linux.h"

static long ring[2];
static unsigned in, out;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int put(long v)
{
	pthread_mutex_lock(&m);
	int room = in - out < 2;
	if (room)
		ring[in++ % 2] = v;
	pthread_mutex_unlock(&m);
	return room;
}

static long get(void)
{
	long v = LANDGO_EMPTY;
	pthread_mutex_lock(&m);
	if (in != out) {
		v = ring[out % 2];
#ifndef FIXED
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
#endif
		out++;
	}
	pthread_mutex_unlock(&m);
	return v;
}

static void *getter(void *a)
{
	landgo_op(&in, LANDGO_DEQUEUE, 0, get());
	return a;
}

int main(void)
{
	pthread_t t[2];
	landgo_assert_linearizable_limit(&in, LANDGO_QUEUE, 2);
	for (long v = 1; v <= 2; v++)
		landgo_op(&in, LANDGO_ENQUEUE, v, put(v));
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, getter, 0);
	landgo_op(&in, LANDGO_ENQUEUE, 3, put(3));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
