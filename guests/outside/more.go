package outside

func init() {
	themes = append(themes, more...)
	themesCXX = append(themesCXX, moreCXX...)
}

// made11 makes the fourth thread by C11's call, if there was none.
const made11 = `if (!__atomic_exchange_n(&tinies, 1, 5)) { thrd_t q; SEE(thrd_create(&q, {small11|small11_exit}, (void *){n}L)); `

// more are the themes about C11's threads, barriers, raw futexes, queued signals,
// accesses of several sizes to one place, and the process's settings.
var more = []theme{
	{name: "c11", weight: 3, setup: []string{`mtx_init(&mt[0], {mtx_plain|mtx_timed|mtx_timed}); mtx_init(&mt[1], mtx_{plain|timed} | mtx_recursive); cnd_init(&cn);`, `tss_create(&ts, {dies|dies_looking|dies_locking|0});`}, statements: []statement{
		{text: `SEE(mtx_lock(&mt[1])); SEE(mtx_{lock|trylock}(&mt[1])); {body} SEE(mtx_unlock(&mt[1])); SEE(mtx_unlock(&mt[1]));`, weight: 2},
		{text: `if (mtx_trylock(&mt[0]) == thrd_success) { {body} SEE(mtx_unlock(&mt[0])); } else SEE(7);`},
		{text: `if (timed11(&mt[1]) == thrd_success) { {P} mtx_unlock(&mt[1]); } else SEE(8);`, timed: true},
		{text: `mtx_lock(&mt[0]); while (!flag) SEE(cnd_wait(&cn, &mt[0])); SEE(get({x})); mtx_unlock(&mt[0]);`},
		{text: `mtx_lock(&mt[0]); flag = {1|1|0}; {P} SEE(cnd_{signal|broadcast}(&cn)); mtx_unlock(&mt[0]);`, weight: 2},
		{text: `mtx_lock(&mt[0]); if (!flag) SEE(cnd_timedwait(&cn, &mt[0], &past)); mtx_unlock(&mt[0]);`, timed: true},
		{text: `call_once(&calls, init); SEE(get(0));`, weight: 2},
		{text: `SEE(tss_set(ts, (void *){n}L)); {P} SEE((int)(long)tss_get(ts));`, weight: 2},
		{text: made11 + `{P} int r = 9; SEE(thrd_join(q, &r)); SEE(r); }`, weight: 2},
		{text: `silenced = 1; ` + made11 + `{P} SEE(thrd_detach(q)); }`},
		{text: `thrd_exit({0|1|1});`, only: inThread, flat: true},
		{text: `thrd_yield();`},
	}},
	{name: "barriers", weight: 3, setup: []string{`pthread_barrier_init(&bar, 0, {1|2|2}); pthread_spin_init(&spin, 0);`}, statements: []statement{
		{text: `SEE(arrive());`, weight: 5},
		{text: `{ int r = arrive(); if (r) put({x}, {n}); SEE(arrive() + 2 * r); }`, weight: 2},
		{text: `pthread_spin_lock(&spin); {body} pthread_spin_unlock(&spin);`, weight: 2},
		{text: `if (!pthread_spin_trylock(&spin)) { {body} pthread_spin_unlock(&spin); } else SEE(7);`, weight: 2},
		{text: `SEE(pthread_cancel(th[1]));`, only: inMain},
	}},
	{name: "futexes", weight: 5, statements: []statement{
		{text: `SEE(futex({x}, FUTEX_WAIT{|_PRIVATE}, 0, 0, 0, 0));`, weight: 5},
		{text: `change_word({x}, {n});`, weight: 2},
		{text: `SEE(futex({x}, FUTEX_WAKE{|_PRIVATE}, {1|1|INT_MAX|0}, 0, 0, 0));`, weight: 4},
		{text: `SEE(futex({x}, FUTEX_WAIT_BITSET, 0, 0, 0, {1|2|3|-1|0}));`, weight: 2},
		{text: `SEE(futex({x}, FUTEX_WAKE_BITSET, {1|2}, 0, 0, {1|2|-1}));`, weight: 2},
		{text: `SEE(futex(0, FUTEX_REQUEUE, {0|1}, MANY({0|1|INT_MAX}), 1, 0));`, weight: 2},
		{text: `SEE(futex(0, FUTEX_CMP_REQUEUE, {0|1}, MANY({1|INT_MAX}), 1, {0|0|1}));`, weight: 2},
		{text: `SEE(futex(0, FUTEX_WAKE_OP, {0|1}, MANY({0|1}), 1, FUTEX_OP(FUTEX_OP_{SET|ADD|OR|ANDN|XOR}, {n}, FUTEX_OP_CMP_{EQ|NE|LT|GE}, {0|1}))); SEE(__atomic_load_n(&fx[1], 5));`, weight: 2},
		{text: `SEE(futex({x}, FUTEX_WAIT_BITSET, 0, &past, 0, -1));`, timed: true},
		{text: `{ struct timespec q = { 0, 1000000 }; SEE(futex({x}, FUTEX_WAIT, 0, &q, 0, 0)); }`, timed: true},
		{text: `SEE(futex(2, FUTEX_{LOCK|TRYLOCK}_PI, 0, 0, 0, 0)); {P} SEE(futex(2, FUTEX_UNLOCK_PI, 0, 0, 0, 0));`},
		{text: `{ int q = futex(2, FUTEX_{LOCK|TRYLOCK}_PI, 0, 0, 0, 0); {body} SEE(futex(2, FUTEX_UNLOCK_PI, 0, 0, 0, 0) + 2 * q); }`},
		{text: `SEE(__atomic_load_n(&fx[{x}], 5));`},
	}},
	{name: "queued", weight: 5, setup: []string{`{mask_both(SIG_BLOCK);|mask_both(SIG_BLOCK);|}`, `act_info(RT0); act_info(RT1);`, `{signals_by_descriptor();|}`}, statements: []statement{
		{text: `SEE(queue({RT0|RT1}, {n}));`, weight: 5},
		{text: `{ union sigval q; q.sival_int = {n}; SEE(pthread_sigqueue(pthread_self(), {RT0|RT1}, q)); }`, weight: 4},
		{text: `SEE(taken_value(0));`, weight: 3},
		{text: `mask_both(SIG_UNBLOCK);`, weight: 3},
		{text: `mask_both(SIG_BLOCK); {body} mask_both(SIG_UNBLOCK);`},
		{text: `{ sigset_t q = both(); siginfo_t i; int r = sigwaitinfo(&q, &i); SEE(r < 0 ? -errno : (r == RT0 ? 0 : 10) + i.si_value.sival_int); }`, weight: 2},
		{text: `SEE(read_signal());`, weight: 2},
		{text: `SEE(pending(RT0) + 2 * pending(RT1));`, weight: 2},
		{text: `kill(getpid(), RT0);`},
		{text: `SEE(__atomic_load_n(&took[me], 5));`, weight: 2},
		{text: `act({RT0|RT1}, {SIG_IGN|SIG_IGN|on}, 0); {P} act_info(RT0);`},
	}},
	{name: "sizes", weight: 5, statements: []statement{
		{text: `__atomic_store_n(&wide.b[{0|1|2|7|8}], {n}, 5);`, weight: 3},
		{text: `__atomic_store_n(&wide.s[{0|1|3|4}], 0x10{x} + {n}, 5);`, weight: 2},
		{text: `__atomic_store_n(&wide.w[{0|1|2}], 0x20000u + {n}, 5);`, weight: 2},
		{text: `__atomic_store_n(&wide.l[{x}], 0x3000000040ul + {n}, 5);`, weight: 2},
		{text: `SEE(__atomic_load_n(&wide.b[{0|1|2|4|8}], 5));`, weight: 2},
		{text: `SEE(__atomic_load_n(&wide.s[{0|1|2|4}], 5));`, weight: 2},
		{text: `SEE(folded(__atomic_load_n(&wide.w[{0|1|2}], 5)));`, weight: 2},
		{text: `SEE(folded(__atomic_load_n(&wide.l[{x}], 5)));`, weight: 3},
		{text: `SEE(__atomic_fetch_{add|sub|xor|and|or}(&wide.b[{0|1|8}], {n}, 5));`, weight: 2},
		{text: `__atomic_fetch_{add|sub|xor|or}(&wide.s[{0|1|4}], {n}, 5);`, weight: 2},
		{text: `SEE(folded(__atomic_exchange_n(&wide.w[{0|2}], {n}, 5)));`},
		{text: `{ unsigned short q = {0|1}; SEE(__atomic_compare_exchange_n(&wide.s[{0|1}], &q, 5 + {n}, 0, 5, 5)); SEE(q); }`, weight: 2},
		{text: `SEE(swap_pair({0|0|1}, {n}));`, weight: 2},
		{text: `SEE({set_bit0(&wide.w[0])|reset_bit9(&wide.w[0])|flip_bit1(&wide.w[1])|negate_byte(&wide.b[1])|less_half(&wide.s[1])|far_bit(3)|far_bit(70)|far_bit(33)});`, weight: 4},
	}, after: []string{`SEE(folded(wide.l[0])); SEE(folded(wide.l[1]));`}},
	{name: "process", weight: 4, setup: []string{`umask(1); prctl(PR_SET_NAME, "ab");`, `{act(SIGALRM, on, 0);|}`}, statements: []statement{
		{text: `SEE(umask({1|2|3}));`, weight: 3},
		{text: `SEE(few({3|4|5}));`, weight: 2},
		{text: `SEE(opened());`, weight: 3},
		{text: `SEE(limit());`, weight: 2},
		{text: `SEE(ERR(close({3|4})));`},
		{text: `SEE(prctl(PR_SET_DUMPABLE, {0|1}));`, weight: 2},
		{text: `SEE(prctl(PR_GET_DUMPABLE));`, weight: 2},
		{text: `prctl(PR_SET_NAME, "{xy|zz}"); {P} SEE(named());`, weight: 2},
		{text: `SEE(pthread_setname_np(th[{o}], "{pq|rr}"));`},
		{text: `SEE(alarm({0|100|200}) > 0);`, weight: 2},
		{text: `SEE(run_timer({ITIMER_REAL|ITIMER_VIRTUAL|ITIMER_PROF}, {0|100}));`, weight: 2},
		{text: `SEE(running({ITIMER_REAL|ITIMER_VIRTUAL}));`, weight: 2},
		{text: `SEE(cores());`},
	}, end: `{report();|report();|at_quick_exit(at_quick_exit_handler); report(); quick_exit(0);|report(); _exit(0);}`},
	{name: "destroyed", weight: 3, setup: []string{`{conditions_by(&d, CLOCK_MONOTONIC);|conditions_by(&d, CLOCK_REALTIME);}`, `{mutex(&m[1], PTHREAD_MUTEX_ERRORCHECK, 0, 0);|mutex(&m[1], PTHREAD_MUTEX_RECURSIVE, 0, 0);|}`}, statements: []statement{
		{text: `pthread_mutex_lock(&m[0]); while (!flag) pthread_cond_wait(&d, &m[0]); pthread_mutex_unlock(&m[0]);`, weight: 2},
		{text: `pthread_mutex_lock(&m[0]); flag = 1; pthread_cond_broadcast(&d); pthread_mutex_unlock(&m[0]); {P} SEE(pthread_cond_destroy(&d));`, only: inFirst, weight: 2},
		{text: `pthread_mutex_lock(&m[0]); if (!flag) SEE(pthread_cond_timedwait(&d, &m[0], &past)); pthread_mutex_unlock(&m[0]);`, timed: true},
		{text: `pthread_cleanup_push(undo, (void *){n}L); pthread_mutex_lock(&m[0]); while (!flag) pthread_cond_wait(&d, &m[0]); pthread_mutex_unlock(&m[0]); pthread_cleanup_pop({0|1});`, only: inThread, flat: true},
		{text: `{ sem_t *q = sem_open("/outside", O_CREAT, 0600, {0|1}); if (q != SEM_FAILED) { SEE(ERR(sem_trywait(q))); {P} SEE(ERR(sem_post(q))); SEE(ERR(sem_{close(q)|unlink("/outside")})); } else SEE(errno); }`},
	}, end: `{report();|report();|exit(0);}`},
}

// moreCXX are those of C++20's synchronisation.
var moreCXX = []theme{
	{name: "twenty", weight: 5, statements: []statement{
		{text: `cs.acquire(); {body} cs.release();`, weight: 2},
		{text: `SEE(cs.try_acquire());`},
		{text: `cs.release({1|2});`},
		{text: `SEE(cs.try_acquire_for(0ms));`, timed: true},
		{text: `la.count_down();`, weight: 2},
		{text: `SEE(la.try_wait());`, weight: 2},
		{text: `la.arrive_and_wait(); SEE(get({x}));`, weight: 2},
		{text: `SEE(fl.test_and_set()); {P} fl.clear(); fl.notify_{one|all}();`, weight: 2},
		{text: `fl.wait({true|true|false}); SEE(fl.test());`},
		{text: `{ std::atomic_ref<int> q(plain); SEE(q.fetch_add({n})); q.notify_all(); }`, weight: 2},
		{text: `{ std::atomic_ref<int> q(plain); q.wait(0); SEE(q.load()); }`},
		{text: `{ std::unique_lock<std::shared_mutex> g(sm); any.wait(g, [] { return flag; }); SEE(get({x})); }`},
		{text: `{ std::lock_guard<std::shared_mutex> g(sm); flag = 1; {P} any.notify_{one|all}(); }`, weight: 2},
		{text: `{ std::shared_lock<std::shared_mutex> g(sm); any.wait(g, stop.get_token(), [] { return flag; }); SEE(flag); }`, weight: 2},
		{text: `SEE(stop.request_stop());`, weight: 2},
		{text: `{ std::stop_callback q(stop.get_token(), [] { add({x}, {n}); }); {P} SEE(get({x})); }`, weight: 2},
		{text: `{ auto q = sp.load(); SEE(q ? q->n : 0); }`, weight: 2},
		{text: `sp.store(std::make_shared<Noted>({n}));`},
		{text: `ba.arrive_and_wait(); SEE(get({x}));`},
		{text: `ba.arrive_and_drop();`},
	}, after: []string{`SEE(get(1));`}},
}
