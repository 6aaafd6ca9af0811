/* abort */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	printf("before\n");
	fflush(stdout);
	abort();
}
