/* Variables of all shapes; main prints nothing and isn't run. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

struct node {
	struct node *next;
	int value;
	char tag[3];
};

struct queue {
	struct node *head, *tail;
	struct node slots[4];
	pthread_mutex_t lock;
	union {
		uint64_t whole;
		struct {
			uint32_t low, high;
		};
	};
	unsigned bit_a : 3, bit_b : 9;
	struct {
		int x, y;
	} point;
};

typedef struct {
	const volatile int level;
	_Atomic int hits;
} stats_t;

int counter;
static volatile int flag;
atomic_int atomic;
int table[8];
short grid[3][5];
struct queue queue;
struct queue queues[2];
stats_t stats;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t sems[2];
extern int later[];
int *pointer;

int next(void)
{
	static int count;

	return ++count + flag;
}

int other(void)
{
	static long count;

	return ++count;
}

int later[3] = {1, 2, 3};

int main(void)
{
	flag = next() + other();
	atomic++;
	counter = table[1] + grid[1][1] + (queue.head != 0) + (queues[1].tail != 0) + stats.level + later[1];
	pthread_mutex_lock(&mutex);
	sem_post(sems);
	return pointer ? *pointer : counter;
}
