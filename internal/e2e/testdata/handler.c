#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct conf { int level; char name[12]; };
static struct conf *volatile conf;

static void reload(int sig)
{
	(void)sig;
	conf->level++;		/* conf may be away just now */
}

static void *admin(void *arg)
{
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return 0;
}

int main(void)
{
	pthread_t self = pthread_self(), t;
	struct sigaction sa = { .sa_handler = reload };
	conf = calloc(1, sizeof *conf);
	sigaction(SIGUSR1, &sa, NULL);
	pthread_create(&t, 0, admin, &self);
	struct conf *old = conf;
	conf = NULL;
	free(old);
	conf = calloc(1, sizeof *conf);
	pthread_join(t, 0);
	return 0;
}
