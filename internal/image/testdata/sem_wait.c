// A program with a sem_wait under two names, as the C library has it.
#include <semaphore.h>
#include <stdio.h>

int __new_sem_wait(sem_t *s)
{
	int *n = (int *)s;
	while (!*(volatile int *)n)
		;
	return *n -= 1, 0;
}

int sem_wait(sem_t *s) __attribute__((weak, alias("__new_sem_wait")));

int main(void)
{
	sem_t s;
	return sem_init(&s, 0, 1) || sem_wait(&s);
}
