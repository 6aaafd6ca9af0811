#include <pthread.h>

struct pair { int left, right; };

static _Thread_local int mine = 5;
static _Thread_local struct pair both = { 1, 2 };
static volatile int shared;

static int add(volatile int *to, int n)
{
	volatile int before = *to;
	{
		volatile int n = 40;
		*to = before + n;
	}
	mine += n;
	both.right = n;
	*to = 0;
	return before;
}

static void *work(void *arg)
{
	volatile struct pair p = { (int)(long)arg, 7 };
	add(&shared, p.left);
	shared = p.right;
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, (void *)3);
	work((void *)4);
	pthread_join(t, 0);
	return 0;
}
