/* sleeping, clocks, time */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
	struct timespec a, b, r = {0, 5000000};
	struct timeval tv, none = {0, 1000};
	time_t t = time(NULL);
	clock_gettime(CLOCK_MONOTONIC, &a);
	nanosleep(&r, NULL);
	usleep(1000);
	poll(NULL, 0, 3);
	select(0, NULL, NULL, NULL, &none);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &r, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	long ns = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
	printf("%d\n", ns >= 15000000);
	gettimeofday(&tv, NULL);
	printf("%d %d\n", tv.tv_sec >= t, time(NULL) >= t);
	b.tv_sec += 1;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &b, NULL);
	clock_gettime(CLOCK_MONOTONIC, &a);
	printf("%d\n", a.tv_sec >= b.tv_sec);
	/* A loop that only looks at the clock ends too. */
	for (t = time(NULL); time(NULL) < t + 1;)
		;
	return 0;
}
