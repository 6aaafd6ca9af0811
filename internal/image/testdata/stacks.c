/* Many shapes of stack frames: leaf functions, frames of variable and of realigned size, calls
 * through pointers and out of a library. There are tail calls, variable arguments, a signal
 * handler, and a second thread. */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noclone))

static volatile int sink;

KEEP static int leaf(int x)
{
	return x * 3 + sink;
}

KEEP static int tail(int x)
{
	sink += x;
	return leaf(x + 1);
}

KEEP static int recurse(int n)
{
	return n ? recurse(n - 1) + leaf(n) : leaf(0);
}

KEEP static int variable(int n)
{
	volatile char *p = alloca(n * 16);

	memset((char *)p, n, n * 16);
	return p[n] + leaf(n);
}

KEEP static int realigned(int n)
{
	volatile int a[64] __attribute__((aligned(128)));

	for (int i = 0; i < 64; i++)
		a[i] = n;
	return leaf(a[n]) + variable(a[3]);
}

KEEP static int sum(int n, ...)
{
	va_list ap;
	int s = 0;

	va_start(ap, n);
	while (n--)
		s += va_arg(ap, int);
	va_end(ap);
	return leaf(s);
}

KEEP static int unlikely(int x)
{
	if (__builtin_expect(x > 5, 0)) {
		char b[64];

		snprintf(b, sizeof b, "%d", x);
		return leaf(b[0]) + sum(3, x, x, x);
	}
	return x;
}

static int compare(const void *a, const void *b)
{
	return leaf(*(const int *)a) - leaf(*(const int *)b);
}

static void handler(int signo)
{
	sink += leaf(signo);
}

static void *work(void *arg)
{
	sink += recurse(3) + realigned(5) + unlikely(7);
	return arg;
}

int main(void)
{
	int v[] = {5, 3, 9, 1};
	pthread_t t;

	sink = tail(4) + recurse(4) + realigned(7) + unlikely(3) + unlikely(9);
	qsort(v, 4, sizeof v[0], compare);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	puts("done");
	return 0;
}
