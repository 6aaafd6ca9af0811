package random

// statement is a template of C. In it {t} stands for the thread's number, {x} and {y} for
// 0 or 1, {m} for a mutex, and {n} for a number up to 4. {body} stands for more statements,
// and {a|b} for either. SEE puts a value into what the thread
// has seen, which is part of the final state.
type statement struct {
	name, text string
	// weight is how often it is taken, against the others.
	weight int
	// sibling: only for threads that were created after another.
	sibling bool
}

// statements are everything a linux guest can wait for, take, try or race on.
var statements = []statement{
	{name: "update", weight: 3, text: `{ int q = v[{x}]; v[{x}] = q * 3 + {t} + 1; }`},
	{name: "read", weight: 2, text: `SEE({t}, v[{x}]);`},
	{name: "write", weight: 1, text: `v[{x}] = {t} + 2;`},
	{name: "add", weight: 1, text: `__atomic_fetch_add(&v[{x}], {t} + 1, 5);`},
	{name: "cas", weight: 1, text: `{ int e = {n}; SEE({t}, __atomic_compare_exchange_n(&v[{x}], &e, {t} + 2, 0, 5, 5)); }`},
	{name: "assert", weight: 1, text: `assert(v[{x}] != {n} + 1);`},
	{name: "yield", weight: 2, text: `sched_yield();`},
	{name: "sleep", weight: 1, text: `usleep(10);`},

	{name: "lock", weight: 4, text: `pthread_mutex_lock(&m[{m}]); {body} pthread_mutex_unlock(&m[{m}]);`},
	{name: "recursive", weight: 1, text: `pthread_mutex_lock(&r); {body} pthread_mutex_unlock(&r);`},
	{name: "trylock", weight: 2, text: `if (!pthread_mutex_trylock(&m[{m}])) { {body} pthread_mutex_unlock(&m[{m}]); } else SEE({t}, 1);`},
	{name: "timedlock", weight: 1, text: `if (!pthread_mutex_timedlock(&m[{m}], &past)) { {body} pthread_mutex_unlock(&m[{m}]); } else SEE({t}, 2);`},
	{name: "spinlock", weight: 1, text: `pthread_spin_lock(&sp); {body} pthread_spin_unlock(&sp);`},
	{name: "rwlock", weight: 4, text: `pthread_rwlock_{rd|wr}lock(&rw); {body} pthread_rwlock_unlock(&rw);`},
	{name: "tryrwlock", weight: 2, text: `if (!pthread_rwlock_try{rd|wr}lock(&rw)) { {body} pthread_rwlock_unlock(&rw); } else SEE({t}, 3);`},
	{name: "timedrwlock", weight: 2, text: `if (!pthread_rwlock_timed{rd|wr}lock(&rw, &past)) { {body} pthread_rwlock_unlock(&rw); } else SEE({t}, 3);`},

	{name: "wait", weight: 1, text: `pthread_mutex_lock(&m[0]); {if|while} (!flag) pthread_cond_wait(&c, &m[0]); {|SEE({t}, v[0]);} pthread_mutex_unlock(&m[0]);`},
	{name: "barewait", weight: 1, text: `pthread_mutex_lock(&m[0]); pthread_cond_wait(&c, &m[0]); SEE({t}, v[{x}]); pthread_mutex_unlock(&m[0]);`},
	{name: "timedwait", weight: 1, text: `pthread_mutex_lock(&m[0]); if (!flag) SEE({t}, pthread_cond_timedwait(&c, &m[0], &past)); pthread_mutex_unlock(&m[0]);`},
	{name: "signal", weight: 1, text: `pthread_mutex_lock(&m[0]); flag = 1; pthread_cond_{signal|broadcast}(&c); pthread_mutex_unlock(&m[0]);`},
	{name: "baresignal", weight: 1, text: `pthread_cond_{signal|broadcast}(&c);`},

	{name: "semwait", weight: 2, text: `sem_wait(&s[{x}]);`},
	{name: "semtry", weight: 1, text: `SEE({t}, sem_trywait(&s[{x}]));`},
	{name: "semtimed", weight: 1, text: `SEE({t}, sem_timedwait(&s[{x}], &past));`},
	{name: "semvalue", weight: 1, text: `{ int q; sem_getvalue(&s[{x}], &q); SEE({t}, q); }`},
	{name: "post", weight: 2, text: `sem_post(&s[{x}]);`},
	{name: "barrier", weight: 2, text: `SEE({t}, pthread_barrier_wait(&b) != 0);`},
	{name: "once", weight: 1, text: `{|v[2] = 1;} pthread_once(&o, once); SEE({t}, v[3]);`},

	{name: "futexwait", weight: 1, text: `SEE({t}, futex(&fw[{x}], FUTEX_WAIT, 0));`},
	{name: "futexwake", weight: 1, text: `{|fw[{x}] = {y};} SEE({t}, futex(&fw[{x}], FUTEX_WAKE, {1|2}));`},
	{name: "pilock", weight: 1, text: `SEE({t}, futex(&pi, FUTEX_LOCK_PI, 0)); {body} SEE({t}, futex(&pi, FUTEX_UNLOCK_PI, 0));`},
	{name: "pitry", weight: 1, text: `if (!futex(&pi, FUTEX_TRYLOCK_PI, 0)) { {body} futex(&pi, FUTEX_UNLOCK_PI, 0); } else SEE({t}, 4);`},

	{name: "poll", weight: 2, text: `while (!v[{x}]) {|sched_yield()};`},
	{name: "polltry", weight: 1, text: `while (pthread_mutex_trylock(&m[{m}])) sched_yield(); {body} pthread_mutex_unlock(&m[{m}]);`},
	{name: "testandset", weight: 1, text: `while (__atomic_exchange_n(&v[2], 1, 5)) ; {body} __atomic_store_n(&v[2], 0, 5);`},

	{name: "join", weight: 1, sibling: true, text: `SEE({t}, pthread_join(th[1], 0));`},
	{name: "tryjoin", weight: 1, sibling: true, text: `SEE({t}, pthread_tryjoin_np(th[1], 0));`},
	{name: "exit", weight: 1, text: `if (v[{x}] == {n}) pthread_exit(0);`},
	{name: "quit", weight: 1, text: `if (v[{x}] == {n}) exit(0);`},
	{name: "free", weight: 1, text: `free((void *)__atomic_exchange_n(&heap[{x}], 0, 5));`},
	{name: "use", weight: 1, text: `{ int *q = (int *)heap[{x}]; if (q) SEE({t}, *q); }`},
	{name: "allocate", weight: 1, text: `{ int *q = malloc(16); *q = {t}; heap[{x}] = (long)q; }`},

	// What a thread lends of its stack, itself or by a call that returns, may outlive it.
	{name: "lend", weight: 1, text: `{ volatile int q[2]; {|q[0] = {t};|q[1] = 0;} lent[{x}] = q; {body} {|lent[{x}] = 0;|SEE({t}, q[1] & 7);} }`},
	{name: "lendcalled", weight: 1, text: `called({x}, {t}, {0|1});`},
	{name: "borrow", weight: 2, text: `{ volatile int *q = lent[{x}]; if (q) {q[0] = {t} + 2|q[1]++|SEE({t}, q[0] & 7)}; }`},
	{name: "borrowlong", weight: 1, text: `{ volatile int *q = lent[{x}]; if (q) q[0] = {t}, {sched_yield(),|sem_wait(&s[1]),|} SEE({t}, q[0] & 7); }`},
}
