// Two threads look whether a queue is empty and take from it, not as one.
#include <cassert>
#include <mutex>
#include <queue>
#include <thread>

namespace pool {
template <class T> class Queue {
	std::queue<T> items;
	std::mutex m;

public:
	void push(T v) { std::lock_guard<std::mutex> l(m); items.push(v); }
	bool empty() { std::lock_guard<std::mutex> l(m); return items.empty(); }
	T pop()
	{
		std::lock_guard<std::mutex> l(m);
		assert(!items.empty());
		T v = items.front();
		items.pop();
		return v;
	}
};
} // namespace pool

int main()
{
	pool::Queue<int> q;
	auto take = [&] {
		if (!q.empty())
			q.pop();
	};
	q.push(1);
	std::thread a(take), b([&] { take(); });
	a.join();
	b.join();
}
