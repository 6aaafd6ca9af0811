// expect: verified  vector of unique_ptr<mutex>, placement new, deque that grows
#include <mutex>
#include <thread>
#include <vector>
#include <memory>
#include <deque>
#include <new>
#include <cassert>
static int n;
alignas(std::mutex) static char room[sizeof(std::recursive_mutex)];
static void f(){
	std::vector<std::unique_ptr<std::mutex>> v;
	for(int i=0;i<5;i++){
		v.push_back(std::make_unique<std::mutex>());
		std::lock_guard<std::mutex> g(*v.back());
		n++;
	}
	for(int i=0;i<3;i++){
		auto*r=new(room) std::recursive_mutex;
		r->lock();
		r->lock();
		r->unlock();
		r->unlock();
		r->~recursive_mutex();
		auto*m=new(room) std::mutex;
		m->lock();
		assert(!m->try_lock());
		m->unlock();
		m->~mutex();
	}
	std::deque<std::mutex> d;
	for(int i=0;i<20;i++){
		d.emplace_back();
		d.back().lock();
	}
	for(auto&m:d) m.unlock();
}
int main(){
	std::thread t(f);
	t.join();
	f();
	assert(n==10);
}
