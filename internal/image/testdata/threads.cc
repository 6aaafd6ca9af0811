// Its library has clones of functions for transactions, which jump to ones that the program
// hasn't got: to address 0.
#include <atomic>
#include <thread>

std::atomic<int> n;

int main() {
	std::thread t([] { n++; });
	n++;
	t.join();
}
