// expect: verified  condition_variable, shared_mutex and semaphore local to a function called by two threads in turn
#include <condition_variable>
#include <shared_mutex>
#include <mutex>
#include <thread>
#include <semaphore>
#include <cassert>
static int one(){
	std::mutex m;
	std::condition_variable c;
	std::shared_mutex s;
	bool go=false;
	int r=0;
	std::thread t([&]{ std::unique_lock<std::mutex> l(m); go=true; c.notify_one(); });
	{
		std::unique_lock<std::mutex> l(m);
		c.wait(l,[&]{return go;});
	}
	t.join();
	{
		std::shared_lock<std::shared_mutex> a(s);
		r++;
	}
	{
		std::unique_lock<std::shared_mutex> a(s);
		r++;
	}
	return r;
}
int main(){
	assert(one()+one()==4);
}
