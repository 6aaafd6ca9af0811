package library

import (
	"slices"
	"strings"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

const (
	mutexA = fakeData
	mutexB = fakeData + 64
	condA  = fakeData + 128
	semA   = fakeData + 192
	rwA    = fakeData + 256
	barA   = fakeData + 320
	onceA  = fakeData + 384
	result = fakeData + 448
	when   = fakeData + 512
)

// TestMutex: a second thread waits until the first lets go, and a try doesn't. A mutex
// at rest has the bytes of its initialiser.
func TestMutex(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 3, Config{})
		if v := w.call(t, 0, profile.MutexLock, mutexA); v != scheduler.Stay {
			t.Fatalf("no point before a lock: %d", v)
		}
		w.step(t, 0, 0)
		w.result(t, 0)
		w.call(t, 1, profile.MutexLock, mutexA)
		if w.possible(&w.threads[1]) {
			t.Error("two threads can hold it")
		}
		if wait, waits := w.WaitOf(1); !waits || wait.For != "mutex" || wait.Owner != 0 {
			t.Errorf("waits for %+v", wait)
		}
		if got := w.does(t, 2, profile.MutexTryLock, mutexA); got != abi.EBUSY {
			t.Errorf("a try returns %d", got)
		}
		if held := w.Holds(0); !slices.Equal(held, []uint64{mutexA}) {
			t.Errorf("thread 0 holds %x", held)
		}
		if got := w.does(t, 0, profile.MutexUnlock, mutexA); got != 0 || len(w.Holds(0)) != 0 {
			t.Errorf("unlock returns %d; %x is held", got, w.Holds(0))
		}
		var d trace.Thread
		if w.DescribeOp(1, &d); d.Status != trace.Ready || d.Pending.Kind != trace.OpLock || d.Pending.Obj != mutexA {
			t.Errorf("thread 1 is %+v", d)
		}
		w.step(t, 1, 0)
		w.does(t, 1, profile.MutexUnlock, mutexA)
		for _, b := range w.machine.Bytes(mutexA, 40) {
			if b != 0 {
				t.Errorf("at rest it is %x", w.machine.Bytes(mutexA, 40))
				break
			}
		}
	})
}

// TestTimedLock: a thread that waits with a deadline gives up then, and not before.
func TestTimedLock(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 2, Config{})
		w.machine.Write64(when, 7)
		w.machine.Write64(when+8, 5)
		w.does(t, 0, profile.MutexLock, mutexA)
		w.call(t, 1, profile.MutexTimedLock, mutexA, when)
		waits := 0
		w.Deadlines(func(id trace.TID, at uint64) {
			if waits++; id != 1 || at != 7_000_000_005 {
				t.Fatalf("thread %d gives up at %d", id, at)
			}
		})
		w.step(t, 1, 0)
		if got := w.result(t, 1); got != abi.ETIMEDOUT || w.clock.now != 7_000_000_005 {
			t.Errorf("it returns %d at %d", got, w.clock.now)
		}
		w.Deadlines(func(id trace.TID, _ uint64) { t.Errorf("thread %d has a deadline", id) })
		if waits != 1 {
			t.Errorf("%d waits have a deadline", waits)
		}
	})
}

// TestCondition: a signal lets the waiter go that the outcome says, which takes its mutex
// back; the others wait on.
func TestCondition(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		for outcome := range trace.Choice(2) {
			w := newWorld(t, libc, 3, Config{})
			for id := range trace.TID(2) {
				w.does(t, id, profile.MutexLock, mutexA)
				w.call(t, id, profile.CondWait, condA, mutexA)
				w.step(t, id, 0)
				if w.possible(&w.threads[id]) || len(w.Holds(id)) != 0 {
					t.Fatalf("thread %d doesn't wait, or holds %x", id, w.Holds(id))
				}
			}
			w.does(t, 2, profile.MutexLock, mutexA)
			w.call(t, 2, profile.CondSignal, condA)
			if n := w.outcomes(&w.threads[2]); n != 2 {
				t.Fatalf("a signal has %d outcomes", n)
			}
			w.step(t, 2, outcome)
			woken, other := trace.TID(outcome), trace.TID(1-outcome)
			if !slices.Equal(w.tr.Wakes, []trace.TID{woken}) {
				t.Errorf("outcome %d wakes %v", outcome, w.tr.Wakes)
			}
			if w.possible(&w.threads[woken]) {
				t.Error("it goes on without the mutex")
			}
			w.does(t, 2, profile.MutexUnlock, mutexA)
			if w.possible(&w.threads[other]) {
				t.Error("both were signalled")
			}
			w.step(t, woken, 0)
			if w.result(t, woken) != 0 || !slices.Equal(w.Holds(woken), []uint64{mutexA}) {
				t.Errorf("it holds %x", w.Holds(woken))
			}
		}
	})
}

// TestBarrier: no thread leaves before all have arrived, and one is the serial one.
func TestBarrier(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 3, Config{})
		if got := w.does(t, 0, profile.BarrierInit, barA, 0, 0); got != abi.EINVAL {
			t.Errorf("a barrier for no thread: %d", got)
		}
		w.does(t, 0, profile.BarrierInit, barA, 0, 3)
		for id := range trace.TID(3) {
			w.call(t, id, profile.BarrierWait, barA)
			w.step(t, id, 0)
			if may := w.possible(&w.threads[0]); may != (id == 2) {
				t.Fatalf("after thread %d, thread 0 can leave: %v", id, may)
			}
		}
		serial := 0
		for id := range trace.TID(3) {
			w.step(t, id, 0)
			if w.result(t, id) == barrierSerial {
				serial++
			}
		}
		if serial != 1 {
			t.Errorf("%d serial threads", serial)
		}
	})
}

// TestReadWriteLock: readers share, a writer excludes.
func TestReadWriteLock(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 3, Config{})
		w.does(t, 0, profile.RWReadLock, rwA)
		if got := w.does(t, 1, profile.RWTryReadLock, rwA); got != 0 {
			t.Errorf("a second reader: %d", got)
		}
		if got := w.does(t, 2, profile.RWTryWriteLock, rwA); got != abi.EBUSY {
			t.Errorf("a writer among readers: %d", got)
		}
		w.call(t, 2, profile.RWWriteLock, rwA)
		w.does(t, 0, profile.RWUnlock, rwA)
		if w.possible(&w.threads[2]) {
			t.Error("a writer beside a reader")
		}
		w.does(t, 1, profile.RWUnlock, rwA)
		w.step(t, 2, 0)
		if got := w.does(t, 0, profile.RWTryReadLock, rwA); got != abi.EBUSY {
			t.Errorf("a reader beside a writer: %d", got)
		}
	})
}

// TestMisuse: what breaks an object's rules is a bug that names the object's address or
// the threads.
func TestMisuse(t *testing.T) {
	type call struct {
		id   trace.TID
		role profile.Role
		args []uint64
	}
	for _, c := range []struct {
		name, says string
		before     []call
		wrong      call
	}{
		{"locked twice", "locked twice", []call{{0, profile.MutexLock, []uint64{mutexA}}}, call{0, profile.MutexLock, []uint64{mutexA}}},
		{"not held", "no thread holds it", nil, call{0, profile.MutexUnlock, []uint64{mutexA}}},
		{"another's", "thread 0 holds it", []call{{0, profile.MutexLock, []uint64{mutexA}}}, call{1, profile.MutexUnlock, []uint64{mutexA}}},
		{"destroyed", "used after it was destroyed", []call{{0, profile.MutexDestroy, []uint64{mutexA}}}, call{1, profile.MutexLock, []uint64{mutexA}}},
		{"destroyed in use", "destroyed while thread 0 holds it", []call{{0, profile.MutexLock, []uint64{mutexA}}}, call{1, profile.MutexDestroy, []uint64{mutexA}}},
		{"wait without", "without holding", nil, call{1, profile.CondWait, []uint64{condA, mutexA}}},
		{"read lock unlocked", "doesn't hold it", []call{{0, profile.RWReadLock, []uint64{rwA}}}, call{1, profile.RWUnlock, []uint64{rwA}}},
		{"barrier", "wasn't initialised", nil, call{1, profile.BarrierWait, []uint64{barA}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			both(t, func(t *testing.T, libc elffile.Libc) {
				w := newWorld(t, libc, 2, Config{})
				for _, b := range c.before {
					w.does(t, b.id, b.role, b.args...)
				}
				if w.call(t, c.wrong.id, c.wrong.role, c.wrong.args...) == scheduler.Stay && w.failure(c.wrong.id) == nil {
					w.step(t, c.wrong.id, 0)
				}
				f := w.failure(c.wrong.id)
				if f == nil || f.Kind != trace.LockMisuse || !strings.Contains(f.Message, c.says) || f.PC != fakeReturn {
					t.Fatalf("the failure is %+v, want %q", f, c.says)
				}
			})
		})
	}
}

// TestReused: bytes that an initialiser or a copy leaves make a new object of the memory.
func TestReused(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 2, Config{})
		w.does(t, 0, profile.MutexDestroy, mutexA)
		w.machine.Write(mutexA, make([]byte, 40))
		if got := w.does(t, 1, profile.MutexLock, mutexA); got != 0 {
			t.Errorf("a new mutex: %d", got)
		}
		w.machine.Write(mutexB, slices.Clone(w.machine.Bytes(mutexA, 40)))
		w.call(t, 0, profile.MutexLock, mutexB)
		if libc == elffile.Glibc { // whose bytes say whose it is
			if o, _ := w.objects.Get(mutexB); o.owner != 1 || w.possible(&w.threads[0]) {
				t.Errorf("a copy of a mutex in use is %+v", o)
			}
			return
		}
		if w.step(t, 0, 0); w.failure(0) == nil {
			t.Error("a copy of a mutex in use can be locked")
		}
	})
}

// TestPoints: the points before and after a function are those of its operation.
func TestPoints(t *testing.T) {
	for r := profile.NoRole + 1; r < profile.NumRoles; r++ {
		a := &acts[r]
		if a.how == operation && a.op == trace.OpNone {
			t.Errorf("%v is an operation of no kind", r)
		}
		if at := scheduler.PointsAt(r); at&trace.PointUnlock != 0 != a.release || a.point != 0 && at&a.point == 0 {
			t.Errorf("%v has points %b; the table says %b, release is %v", r, at, a.point, a.release)
		}
	}
	if acts[profile.CondWait].point != 0 || scheduler.PointsAt(profile.CondWait) != trace.PointLock {
		t.Error("a wait's point is before it takes its mutex back")
	}
}
