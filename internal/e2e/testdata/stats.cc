#include <thread>
#include <vector>
#include <cassert>

struct Stats { long calls = 0; long bytes = 0; double mean = 0; };
static Stats *stats = new Stats;

static void handle(int n) {
	stats->calls++;
	stats->bytes += n;
}

int main() {
	std::vector<std::thread> pool;
	for (int i = 1; i <= 2; i++)
		pool.emplace_back([i] { handle(i * 100); });
	for (auto &t : pool) t.join();
	assert(stats->calls == 2);
	assert(stats->bytes == 300);
}
