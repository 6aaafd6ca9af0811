/* Fails before a second thread exists. */
#include <assert.h>

int main(int argc, char **argv)
{
	(void)argv;
	assert(argc > 5);
	return 0;
}
