/* Threads that do what the first argument says, a letter each, with a slash between two
 * threads. The second is a condition, and how it is to hold. */
#include <pthread.h>
#include "landgo-linux.h"

static volatile long x[3], cell;
static long unread;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int condition(void *which)
{
	switch (*(const char *)which) {
	case '0': return !(x[0] == 1 && x[1] == 0);
	case '1': return x[0] + x[1] != 3;
	case '2': return x[0] == x[2];
	case '3': return x[1] == 1 && x[2] == 1;
	}
	return x[0] == 0 || x[1] == 0 || x[2] == 0;
}

static void *thread(void *text)
{
	/* the letters are in the argument itself: what lies in memory would be shared with main */
	for (unsigned long rest = (unsigned long)text; rest; rest >>= 8)
		switch (rest & 0xff) {
		case 'A': x[0] = x[0] + 1; break;
		case 'B': x[1] = x[1] + 1; break;
		case 'C': x[2] = x[2] + 1; break;
		case 'a': x[0] = 0; break;
		case 'b': x[1] = 0; break;
		case 'c': x[2] = 0; break;
		case 'M':
			pthread_mutex_lock(&m);
			x[0]++;
			x[2]++;
			pthread_mutex_unlock(&m);
			break;
		case 'W': landgo_op_void(&cell, LANDGO_WRITE, 7, cell = 7); break;
		case 'w': landgo_op_void(&cell, LANDGO_WRITE, 8, (cell = 7, cell = 8)); break;
		case 'R': landgo_op(&cell, LANDGO_READ, 0, cell); break;
		case 'I': landgo_op_begin(&cell, LANDGO_INCREASE, 1); { long v = cell; cell = v + 1; landgo_op_end(&cell, v); } break;
		case 'J': landgo_op_begin(&cell, LANDGO_INCREASE, 1); landgo_op_end(&cell, __sync_fetch_and_add(&cell, 1)); break;
		case 'Z': landgo_op(&cell, LANDGO_READ, 0, unread); break;
		}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t[3];
	int n = 0;
	if (argc < 3)
		return 0;
	if (argv[2][0] == 'n') landgo_assert_linearizable(&cell, LANDGO_REGISTER);
	if (argv[2][0] == 'a') landgo_always(condition, argv[2] + 1);
	if (argv[2][0] == 'w') landgo_always_when(condition, argv[2] + 1, &m);
	if (argv[2][0] == 'e') landgo_eventually(condition, argv[2] + 1);
	unsigned long words[3] = {0};
	int threads = 0, shift = 0;
	for (char *c = argv[1]; *c; c++)
		if (*c == '/')
			threads++, shift = 0;
		else
			words[threads] |= (unsigned long)*c << shift, shift += 8;
	for (; n <= threads; n++)
		pthread_create(&t[n], 0, thread, (void *)words[n]);
	while (n > 0)
		pthread_join(t[--n], 0);
	return 0;
}
