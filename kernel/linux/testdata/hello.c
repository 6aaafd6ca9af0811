/* printf alone */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	printf("hello, %d, %s\n", argc, getenv("GREETING") ? getenv("GREETING") : "-");
	return 3;
}
