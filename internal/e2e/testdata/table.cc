#include <mutex>
#include <thread>
#include <vector>
#include <iostream>

struct Fork { std::mutex m; int used = 0; };

class Table {
	std::vector<Fork> forks;
public:
	explicit Table(size_t n) : forks(n) {}
	void dine(size_t seat) {
		auto &left = forks[seat], &right = forks[(seat + 1) % forks.size()];
		std::lock_guard<std::mutex> l(left.m);
		std::lock_guard<std::mutex> r(right.m);
		left.used++, right.used++;
	}
};

int main() {
	Table table(3);
	std::vector<std::thread> guests;
	for (size_t i = 0; i < 3; i++)
		guests.emplace_back([&table, i] { table.dine(i); });
	for (auto &g : guests)
		g.join();
	std::cout << "all have eaten\n";
}
