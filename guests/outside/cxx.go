package outside

// themesCXX are those of C++ programs. Nothing is thrown: in a static program the
// first exception sorts all unwinding tables, 40 million instructions an execution.
var themesCXX = []theme{
	{name: "locals", weight: 3, statements: []statement{
		{text: `SEE(local_{mutex|recursive|timed|shared|once|condition|guarded}());`, weight: 3},
		{text: `SEE(local_{mutex|recursive|once}()); {P} SEE(local_{mutex|recursive|timed|once|guarded}());`, weight: 3},
		{text: `{ std::lock_guard<std::mutex> g(mx); {body} }`},
	}},
	{name: "locks", weight: 3, statements: []statement{
		{text: `{ std::lock_guard<std::mutex> g(mx); {body} }`, weight: 2},
		{text: `{ std::unique_lock<std::mutex> g(mx, std::try_to_lock); SEE(g.owns_lock()); {body} }`},
		{text: `{ std::lock_guard<std::recursive_mutex> g(rm); {P} std::unique_lock<std::recursive_mutex> h(rm, std::try_to_lock); SEE(h.owns_lock()); }`},
		{text: `{ std::shared_lock<std::shared_mutex> g(sm); {body} }`},
		{text: `{ std::unique_lock<std::shared_mutex> g(sm); {body} }`},
		{text: `{ std::shared_lock<std::shared_mutex> g(sm, std::try_to_lock); SEE(g.owns_lock()); }`},
		{text: `if (tm_.try_lock()) { {body} tm_.unlock(); } else SEE(7);`},
		{text: `if (tm_.try_lock_for(0ms)) { {body} tm_.unlock(); } else SEE(8);`, timed: true},
		{text: `{ std::scoped_lock<std::mutex, std::recursive_mutex> g(mx, rm); {body} }`},
	}},
	{name: "waits", weight: 2, statements: []statement{
		{text: `{ std::unique_lock<std::mutex> g(mx); cv.wait(g, [] { return flag; }); SEE(get({x})); }`},
		{text: `{ std::lock_guard<std::mutex> g(mx); flag = 1; {P} cv.notify_{one|all}(); }`, weight: 2},
		{text: `{ std::unique_lock<std::mutex> g(mx); SEE(cv.wait_for(g, 0ms, [] { return flag; })); }`, timed: true},
		{text: `at_.store({n}); at_.notify_all();`, weight: 2},
		{text: `at_.wait(0); SEE(at_.load());`},
		{text: `SEE(at_.exchange({0|5}));`},
	}},
	{name: "once", weight: 2, statements: []statement{
		{text: `called();`, weight: 3},
		{text: `SEE(single().n);`},
		{text: `if (!mine) mine.reset(new Noted({n}));`, weight: 2},
		{text: `mine.reset();`},
	}, after: []string{`SEE(get(1));`}},
	{name: "futures", weight: 2, statements: []statement{
		{text: `if (!__atomic_exchange_n(&promised, 1, 5)) pr.set_value({n});`, weight: 2},
		{text: `SEE(fu.get());`},
		{text: `SEE(fu.wait_for(0ms) == std::future_status::ready);`, timed: true},
		{text: `{ auto q = std::atomic_load(&shared); SEE(q ? q->n : 0); }`},
		{text: `std::atomic_store(&shared, std::make_shared<Noted>({n}));`},
	}},
}
