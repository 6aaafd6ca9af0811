/* An assertion that fails two calls deep: the way from there to the end of the
 * process is through functions that never return. */
#include <assert.h>

__attribute__((noinline)) static int check(int x)
{
	assert(x < 3);
	return x;
}

__attribute__((noinline)) static int outer(int x)
{
	return check(x + 1) + 1;
}

int main(int argc, char **argv)
{
	return outer(argc) + outer(argc + 2);
}
