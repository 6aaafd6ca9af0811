// expect: bug lock-misuse  placement new of a std::mutex over a recursive one: double lock
#include <mutex>
#include <thread>
#include <new>
alignas(std::mutex) static char room[sizeof(std::recursive_mutex)];
int main(){
	std::thread t([]{ auto*r=new(room) std::recursive_mutex; r->lock(); r->lock(); r->unlock(); r->unlock(); auto*m=new(room) std::mutex; m->lock(); m->lock(); });
	t.join();
}
