package outside

func init() {
	themes = append(themes, ends...)
	themesCXX = append(themesCXX, endsCXX...)
}

// dying are functions that run at a thread's end, and by which others may see it.
const dying = `{dies|dies_often|dies_across|dies_looking|dies_making|dies_deleting|dies_locking|dies_posting|dies_registering}`

// small are threads that a statement makes. There is one in a program, the fourth.
const small = `{tiny|tiny_key|tiny_key|tiny_end|tiny_exit|tiny_parent}`

// made4 makes that thread, if there was none.
const made4 = `if (!__atomic_exchange_n(&tinies, 1, 5)) { pthread_t q; pthread_create(&q, 0, `

// ends are the themes about keys and the ends of threads.
var ends = []theme{
	{name: "keys", weight: 5, setup: []string{`pthread_key_create(&key[0], ` + dying + `);`, `pthread_key_create(&key[1], {dies|dies_looking|dies_locking|0});`, `sem_init(&s[0], 0, 0);`}, statements: []statement{
		{text: `SEE(pthread_setspecific(key[{x}], (void *){n}L));`, weight: 5},
		{text: `SEE((int)(long)pthread_getspecific(key[{x}]));`, weight: 2},
		{text: `SEE(pthread_key_delete(key[{x}]));`, weight: 2},
		{text: `{ pthread_key_t k; SEE(pthread_key_create(&k, {0|dies|dies_looking})); SEE((int)k - (int)key[0]); {P} SEE(pthread_setspecific(k, (void *){n}L)); }`, weight: 2},
		{text: `{ pthread_key_t k; if (!pthread_key_create(&k, 0)) { SEE((int)k - (int)key[0]); {P} SEE(pthread_key_delete(k)); } }`, weight: 2},
		{text: `AT_END(` + dying + `, {n}L);`, weight: 3},
		{text: `if (get({x}) == {n}) pthread_exit((void *){0|0|1}L);`, only: inThread, flat: true},
		{text: `SEE(ERR(sem_wait(&s[0])));`},
		{text: made4 + small + `, (void *){n}L); {P} SEE(pthread_join(q, 0)); }`},
	}, end: `{report();|report();|report();|exit(0);|pthread_exit(0);}`},
	{name: "small threads", weight: 4, setup: []string{`pthread_key_create(&key[0], ` + dying + `);`, `{pthread_key_create(&key[1], dies);|}`, `{mutex(&m[1], PTHREAD_MUTEX_NORMAL, 1, 0);|}`, `act(SIGUSR1, on, 0);`}, statements: []statement{
		{text: made4 + small + `, (void *){n}L); {P} int e = pthread_tryjoin_np(q, 0); SEE(e); {P} if (e) SEE(pthread_join(q, 0)); }`, weight: 2},
		{text: made4 + small + `, (void *){n}L); {P} SEE(pthread_kill(q, {0|SIGUSR1|SIGUSR1})); {P} SEE(pthread_join(q, 0)); }`, weight: 2},
		{text: made4 + `{tiny_waiting|tiny_waiting|tiny_key|tiny_end}, (void *){n}L); {P} SEE(pthread_cancel(q)); void *r; {P} SEE(pthread_join(q, &r)); SEE(r == PTHREAD_CANCELED); }`, weight: 2},
		{text: made4 + small + `, (void *){n}L); {P} int e = pthread_timedjoin_np(q, 0, &past); SEE(e); if (e) SEE(pthread_join(q, 0)); }`, timed: true},
		{text: `silenced = 1; ` + made4 + small + `, (void *){n}L); {P} SEE(pthread_detach(q)); }`, weight: 2},
		{text: `silenced = 1; if (!__atomic_exchange_n(&tinies, 1, 5)) SEE(apart(` + small + `, {n}));`, weight: 2},
		{text: made4 + `tiny_holding, (void *){n}L); { int e = pthread_mutex_{lock|trylock}(&m[1]); SEE(e); if (!e || e == EOWNERDEAD) SEE(pthread_mutex_unlock(&m[1])); } {P} SEE(pthread_join(q, 0)); }`},
		{text: `{ int e = pthread_mutex_{lock|trylock}(&m[1]); SEE(e); if (e == EOWNERDEAD) SEE(pthread_mutex_consistent(&m[1])); {P} if (!e || e == EOWNERDEAD) SEE(pthread_mutex_unlock(&m[1])); }`},
		{text: `pthread_setspecific(key[0], (void *){n}L);`, weight: 2},
		{text: `AT_END(` + dying + `, {n}L);`},
		{text: `sem_post(&s[1]);`},
	}, end: `{report();|report();|exit(0);|pthread_exit(0);}`},
}

// endsCXX are those of C++.
var endsCXX = []theme{
	{name: "thread locals", weight: 6, statements: []statement{
		{text: `SEE(loud_{a|b|c|late}().n);`, weight: 5},
		{text: `loud_{a|b}().n = {n} + 2;`},
		{text: `{ std::lock_guard<std::mutex> g(mx); {body} }`},
		{text: `if (!__atomic_exchange_n(&tinies, 1, 5)) { std::thread q([] { me = 3; loud_{a|b|late}(); put(0, {n}); }); {P} SEE(get(1)); {P} q.join(); SEE(get(1)); }`, weight: 3},
		{text: `silenced = 1; if (!__atomic_exchange_n(&tinies, 1, 5)) std::thread([] { me = 3; silent = 1; SEE(loud_{a|b|late}().n); put(0, {n}); }).detach();`, weight: 2},
		{text: `if (!__atomic_exchange_n(&tinies, 1, 5)) { std::jthread q([](std::stop_token s) { me = 3; loud_{a|b}(); SEE(s.stop_requested()); put(0, {n}); }); {P} SEE(get(1)); }`},
		{text: `if (!__atomic_exchange_n(&promised, 1, 5)) pr.set_value_at_thread_exit({n}); {P} SEE(get(1));`, only: inThread, weight: 2},
		{text: `SEE(fu.get()); SEE(get(1));`, weight: 2},
		{text: `{ std::unique_lock<std::mutex> g(mx); flag = 1; std::notify_all_at_thread_exit(cv, std::move(g)); } return a;`, only: inThread, flat: true},
		{text: `{ std::unique_lock<std::mutex> g(mx); cv.wait(g, [] { return flag; }); SEE(get(1)); }`},
		{text: `if (!mine) mine.reset(new Noted({n}));`},
		{text: `if (get({x}) == {n}) return a;`, only: inThread, flat: true},
	}, end: `{report();|report();|exit(0);}`},
}
