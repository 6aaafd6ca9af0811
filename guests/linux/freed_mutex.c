/* A user finds an object under the table's lock and takes the object's own lock after: its owner may have freed it. One
   preemption, in the user, between the two. FIXED: the object's lock is taken under the table's. */
#include <pthread.h>
#include <stdlib.h>

struct object {
	pthread_mutex_t lock;
};
struct object *volatile shared;
pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static void use(struct object *o)
{
	if (o) {
		pthread_mutex_lock(&o->lock);
		pthread_mutex_unlock(&o->lock);
	}
}

static void *user(void *arg)
{
	pthread_mutex_lock(&table);
	struct object *o = shared;
#ifdef FIXED
	use(o);
	pthread_mutex_unlock(&table);
#else
	pthread_mutex_unlock(&table);
	use(o);
#endif
	return arg;
}

static void *owner(void *arg)
{
	pthread_mutex_lock(&table);
	struct object *o = shared;
	shared = 0;
	pthread_mutex_unlock(&table);
	free(o);
	return arg;
}

int main(void)
{
	struct object *o = malloc(sizeof *o);
	pthread_mutex_init(&o->lock, 0);
	shared = o;
	pthread_t t, u;
	pthread_create(&t, 0, user, 0);
	pthread_create(&u, 0, owner, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
