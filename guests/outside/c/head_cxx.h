// What C++ programs share beyond.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
using namespace std::chrono_literals;

static std::mutex mx;
static std::recursive_mutex rm;
static std::timed_mutex tm_;
static std::shared_mutex sm;
static std::condition_variable cv;
static std::once_flag of;
static std::atomic<int> at_(0);
static std::promise<int> pr;
static std::shared_future<int> fu = pr.get_future().share();
struct Noted { int n; Noted(int n) : n(n) { add(0, n); } ~Noted() { P(54); add(1, n); } };
static thread_local std::unique_ptr<Noted> mine;
struct Loud { int n; Loud(int n) : n(n) { P(49); SEE(get(0)); add(0, n); } ~Loud() { P(54); SEE(get(0)); P(50); add(1, n); } };
static Loud &loud_a() { static thread_local Loud l(1); return l; }
static Loud &loud_b() { static thread_local Loud l(2); return l; }
static Loud &loud_c() { SEE(loud_a().n); static thread_local Loud l(3); return l; }
struct Late { int n = 4; ~Late() { P(54); SEE(loud_b().n); } };
static Late &loud_late() { static thread_local Late l; return l; }
static Noted &single() { static Noted n(1); return n; }
static std::shared_ptr<Noted> shared;

#define LOCAL(name, code) __attribute__((noinline)) static int local_##name() { code }
LOCAL(mutex, std::mutex k; k.lock(); int r = k.try_lock(); k.unlock(); return r;)
LOCAL(recursive, std::recursive_mutex k; k.lock(); int r = k.try_lock(); if (r) k.unlock(); k.unlock(); return r;)
LOCAL(timed, std::timed_mutex k; k.lock(); int r = k.try_lock(); k.unlock(); return r;)
LOCAL(shared, std::shared_mutex k; k.lock_shared(); int r = k.try_lock_shared(); int q = k.try_lock(); k.unlock_shared(); if (r) k.unlock_shared(); return r * 2 + q;)
LOCAL(once, std::once_flag o; int n = 0; std::call_once(o, [&] { n++; }); std::call_once(o, [&] { n++; }); return n;)
LOCAL(condition, std::mutex k; std::condition_variable c; std::unique_lock<std::mutex> l(k); c.notify_one(); int r = k.try_lock(); return r;)
LOCAL(guarded, std::mutex k; { std::lock_guard<std::mutex> g(k); } std::unique_lock<std::mutex> l(k, std::try_to_lock); return l.owns_lock();)
static void called() { std::call_once(of, [] { P(53); int q = get(0); P(52); add(1, q + 1); }); }
static int promised;
static std::counting_semaphore<4> cs(1);
static std::latch la(2);
static std::atomic_flag fl;
static int plain;
static std::condition_variable_any any;
static std::stop_source stop;
static std::atomic<std::shared_ptr<Noted>> sp;
static std::barrier<void (*)() noexcept> ba(2, []() noexcept { add(0, 1); });
