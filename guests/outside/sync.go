package outside

// common are what every program has.
var common = []statement{
	{text: `SEE(get({x}));`},
	{text: `put({x}, {n});`},
	{text: `{ int q = get({x}); {P} put({x}, q * 2 + 1); }`},
	{text: `pthread_mutex_lock(&m[0]); {body} pthread_mutex_unlock(&m[0]);`},
}

// Types of mutexes, and their protocols.
const (
	anyType     = `{PTHREAD_MUTEX_NORMAL|PTHREAD_MUTEX_RECURSIVE|PTHREAD_MUTEX_ERRORCHECK|PTHREAD_MUTEX_ERRORCHECK}`
	anyProtocol = `{0|0|PTHREAD_PRIO_INHERIT}`
)

// themes are those of C programs.
var themes = []theme{
	{name: "mutexes", weight: 3, setup: []string{
		`{mutex(&m[0], ` + anyType + `, 0, ` + anyProtocol + `);|m[0] = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;|m[0] = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;}`,
		`mutex(&m[1], {PTHREAD_MUTEX_RECURSIVE|PTHREAD_MUTEX_ERRORCHECK}, 0, ` + anyProtocol + `);`,
	}, statements: []statement{
		{text: `if (!pthread_mutex_trylock(&m[{x}])) { {body} SEE(pthread_mutex_unlock(&m[{x}])); } else SEE(7);`},
		{text: `SEE(pthread_mutex_lock(&m[1])); {body} SEE(pthread_mutex_unlock(&m[1]));`, weight: 2},
		{text: `SEE(pthread_mutex_unlock(&m[1]));`},
		{text: `SEE(pthread_mutex_timedlock(&m[1], &past)); {body} SEE(pthread_mutex_unlock(&m[1]));`, timed: true},
		{text: `SEE(pthread_mutex_lock(&m[1])); SEE(pthread_mutex_{lock|trylock}(&m[1])); {P} SEE(pthread_mutex_unlock(&m[1])); SEE(pthread_mutex_unlock(&m[1]));`, weight: 2},
		{text: `{ int q = get(0); pthread_mutex_lock(&m[0]); put(0, q + get(1)); pthread_mutex_unlock(&m[0]); }`},
	}},
	{name: "robust", weight: 2, setup: []string{`mutex(&m[1], {PTHREAD_MUTEX_NORMAL|PTHREAD_MUTEX_RECURSIVE|PTHREAD_MUTEX_ERRORCHECK}, 1, 0);`}, statements: []statement{
		{text: `SEE(pthread_mutex_lock(&m[1])); if (get({x}) == {n}) return a;{P} pthread_mutex_unlock(&m[1]);`, only: inThread, flat: true, weight: 2},
		{text: `pthread_mutex_lock(&m[1]); return a;`, only: inThread, flat: true},
		{text: `{ int e = pthread_mutex_{lock|trylock}(&m[1]); SEE(e); if (e == EOWNERDEAD && get({x}) < 2) SEE(pthread_mutex_consistent(&m[1])); {P} if (!e || e == EOWNERDEAD) SEE(pthread_mutex_unlock(&m[1])); }`, weight: 3},
	}, end: `{report();|exit(0);}`},
	{name: "rwlocks", weight: 2, setup: []string{
		`pthread_rwlockattr_t at; pthread_rwlockattr_init(&at); pthread_rwlockattr_setkind_np(&at, {PTHREAD_RWLOCK_PREFER_READER_NP|PTHREAD_RWLOCK_PREFER_WRITER_NP|PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP}); pthread_rwlock_init(&rw, &at);`,
	}, statements: []statement{
		{text: `SEE(pthread_rwlock_rdlock(&rw)); {body} pthread_rwlock_unlock(&rw);`, weight: 3},
		{text: `SEE(pthread_rwlock_wrlock(&rw)); {body} pthread_rwlock_unlock(&rw);`, weight: 2},
		{text: `if (!pthread_rwlock_try{rd|wr}lock(&rw)) { {body} pthread_rwlock_unlock(&rw); } else SEE(7);`},
		{text: `{ int e = pthread_rwlock_timed{rd|wr}lock(&rw, &past); SEE(e); {P} if (!e) pthread_rwlock_unlock(&rw); }`, timed: true},
	}},
	{name: "conditions", weight: 2, setup: []string{`mutex(&m[1], PTHREAD_MUTEX_RECURSIVE, 0, 0);`}, statements: []statement{
		{text: `pthread_mutex_lock(&m[0]); while (!flag) pthread_cond_wait(&c, &m[0]); SEE(get({x})); pthread_mutex_unlock(&m[0]);`},
		{text: `pthread_mutex_lock(&m[0]); flag = {1|1|0}; {P} pthread_cond_{signal|broadcast}(&c); pthread_mutex_unlock(&m[0]);`, weight: 2},
		{text: `pthread_mutex_lock(&m[0]); if (!flag) SEE(pthread_cond_timedwait(&c, &m[0], &past)); pthread_mutex_unlock(&m[0]);`, timed: true},
		{text: `{ struct timespec d = soon(CLOCK_MONOTONIC); pthread_mutex_lock(&m[0]); if (!flag) SEE(pthread_cond_clockwait(&c, &m[0], CLOCK_MONOTONIC, &d)); pthread_mutex_unlock(&m[0]); }`, timed: true},
		{text: `pthread_mutex_lock(&m[1]); pthread_mutex_lock(&m[1]); SEE(pthread_cond_timedwait(&d, &m[1], &past)); pthread_mutex_unlock(&m[1]); SEE(pthread_mutex_unlock(&m[1]));`, timed: true},
		{text: `pthread_mutex_lock(&m[1]); {body} pthread_mutex_unlock(&m[1]);`},
	}},
	{name: "counted spins", weight: 2, statements: []statement{
		{text: `{ int q = 0; for (int k = 0; k < {2|3|6} && (q = get({x})) != {n}; k++) {;|sched_yield();} SEE(q); }`, weight: 3},
		{text: `{ int k = 0; while (k < 3 && get({x}) != {n}) k++; SEE(k); }`},
		{text: `{ int q = 0; for (int k = 0; k < 3; k++) q += get({x}); SEE(q); }`},
		{text: `put({x}, {n}); {P} put({x}, {n});`, weight: 2},
	}},
	{name: "semaphores", weight: 2, setup: []string{`sem_init(&s[0], 0, {x});`}, statements: []statement{
		{text: `SEE(ERR(sem_wait(&s[{x}])));`, weight: 2},
		{text: `SEE(ERR(sem_trywait(&s[{x}])));`},
		{text: `sem_post(&s[{x}]);`, weight: 2},
		{text: `{ int q; sem_getvalue(&s[{x}], &q); SEE(q); }`},
		{text: `SEE(ERR(sem_timedwait(&s[{x}], &past)));`, timed: true},
		{text: `SEE(ERR(sem_timedwait(&s[{x}], &when)));`, timed: true, weight: 2},
		{text: `__atomic_store_n(&when.tv_nsec, {0|2000000000}, 5);`, weight: 2},
		{text: `{ struct timespec d = soon(CLOCK_REALTIME); SEE(ERR(sem_timedwait(&s[{x}], &d))); }`, timed: true},
	}},
	{name: "once", weight: 2, setup: []string{`pthread_key_create(&key[0], dies); pthread_key_create(&key[1], dies_twice);`}, statements: []statement{
		{text: `pthread_once(&once[{x}], init); SEE(get(0));`, weight: 2},
		{text: `pthread_setspecific(key[{x}], (void *){n}L);`, weight: 2},
		{text: `SEE((int)(long)pthread_getspecific(key[{x}]));`},
		{text: `SEE(pthread_key_delete(key[1]));`},
		{text: `{ pthread_key_t k; SEE(pthread_key_create(&k, 0)); SEE((int)k - (int)key[0]); }`},
		{text: `if (get({x}) == {n}) pthread_exit((void *){0|1}L);`, only: inThread, flat: true},
	}},
	{name: "exit", weight: 2, setup: []string{`{atexit(at_exit);|}`, `{mutex(&m[1], PTHREAD_MUTEX_ERRORCHECK, {0|1}, 0);|pthread_key_create(&key[0], dies);}`}, statements: []statement{
		{text: `if (get({x}) == {n}) pthread_exit(0);`, only: inThread, flat: true},
		{text: `atexit(at_exit);`},
		{text: `if (get({x}) == {n}) exit(0);`, only: inFirst},
		{text: `pthread_mutex_lock(&m[1]); {body} pthread_mutex_unlock(&m[1]);`},
		{text: `pthread_setspecific(key[0], (void *){n}L);`},
	}, end: `{exit(0);|pthread_exit(0);|pthread_exit(0);}`},
	{name: "cancellation", weight: 2, setup: []string{`sem_init(&s[1], 0, {x});`}, statements: []statement{
		{text: `SEE(pthread_cancel(me == 1 ? pthread_self() : th[1]));`, weight: 3},
		{text: `pthread_testcancel();`, weight: 2, only: inThread, flat: true},
		{text: `{ int q; pthread_setcancelstate(PTHREAD_CANCEL_{DISABLE|ENABLE}, &q); SEE(q); }`},
		{text: `pthread_cleanup_push(undo, (void *){n}L); {body} pthread_cleanup_pop({0|1});`, only: inThread, weight: 2},
		{text: `SEE(ERR(sem_wait(&s[1])));`, only: inThread, flat: true},
		{text: `sem_post(&s[1]);`},
		{text: `nap();`, only: inThread, flat: true},
	}},
	{name: "fresh", weight: 2, statements: []statement{
		{text: `SEE(fresh_{normal|recursive|errorcheck|static|condition|once|semaphore|rwlock}());`, weight: 4},
		{text: `SEE(fresh_{normal|recursive|errorcheck}()); {P} SEE(fresh_{normal|recursive|errorcheck|once}());`, weight: 4},
	}},
	{name: "refusals", weight: 1, statements: []statement{
		{text: `{ pthread_barrier_t b; SEE(pthread_barrier_init(&b, 0, 0)); }`},
		{text: `{ sem_t s; SEE(ERR(sem_init(&s, 0, {5|0x80000000u}))); }`},
		{text: `{ sem_t s; sem_init(&s, 0, 0x7fffffff); SEE(ERR(sem_post(&s))); }`},
		{text: `{ pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&k); SEE(pthread_mutex_timedlock(&k, &past)); SEE(pthread_mutex_trylock(&k)); pthread_mutex_unlock(&k); }`, timed: true},
		{text: `{ struct timespec d = { 1, 2000000000 }; SEE(pthread_mutex_timedlock(&m[0], &d)); pthread_mutex_unlock(&m[0]); }`, timed: true},
		{text: `SEE(pthread_kill(th[0], 99)); SEE(pthread_kill(th[0], 0));`},
		{text: `SEE(pthread_join(pthread_self(), 0));`},
	}},
}
