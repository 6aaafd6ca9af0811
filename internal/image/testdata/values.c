/* Variables of many types, for what expressions show of them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct node {
	struct node *next;
	int value;
	char name[8];
	unsigned low : 3, high : 5;
	union {
		int either, or;
	};
};

enum color { RED = 1, GREEN };

int number = -5, number_of = 1;
unsigned char small = 200;
char letter = 'a';
bool yes = true;
float half = 0.5;
double quarter = 0.25;
enum color hue = GREEN;
int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
struct node pool[2] = {{0, 7, "abc", 2, 9, {3}}, {pool, -3, "x", 0, 0, {0}}};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct {
	struct {
		struct {
			struct {
				int last;
			} in;
		} in;
	} in;
} deep = {{{{4}}}};
_Atomic int atomic = 9;
short many[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

int main(void)
{
	static volatile int inner = 31;
	return inner + number + number_of + small + letter + yes + half + quarter + hue + grid[0][0] + pool[0].value + deep.in.in.in.last + atomic + many[1] + pthread_mutex_trylock(&lock);
}
