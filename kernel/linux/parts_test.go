package linux

import (
	"testing"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// results are threads whose results of calls are remembered, and nothing else.
type results struct {
	kernel.Threads
	of map[trace.TID]uint64
}

func (r results) SetResult(t trace.TID, v uint64) { r.of[t] = v }

// TestQueueOrder: threads wait in the order of their numbers, whichever came first; a wake
// finds those with its bits and of its kind, and a rewind takes all back. Neither a
// processor nor a guest is needed.
func TestQueueOrder(t *testing.T) {
	m, err := emu.New(emu.Config{Space: 1 << 20, Code: []emu.Range{{Lo: 0x1000, Hi: 0x2000}}, NoEngine: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	log := effect.New(m)
	host := results{of: map[trace.TID]uint64{}}
	now := &doing{host: kernel.Host{Threads: host}}
	r := &roster{now: now, log: &log}
	for i := range 3 {
		r.threads = append(r.threads, newThread(trace.TID(i), nil, firstNumber+uint64(i)))
	}
	qs := &queues{now: now, log: &log, roster: r, at: map[uint64]*queue{}}
	const futex = 0x8000
	mark := m.Mark()
	for _, w := range []struct{ thread, bits uint64 }{{2, matchAny}, {0, 1}, {1, 2 | notPrivate}} {
		qs.enqueue(r.threads[w.thread], waitFutex, futex, w.bits, noDeadline)
	}
	ids := func(bits uint64) (list []trace.TID) {
		for _, w := range qs.waiters(futex, waitFutex, bits) {
			list = append(list, w.id)
		}
		if n := qs.count(futex, waitFutex, bits); n != uint64(len(list)) {
			t.Errorf("%d threads are counted of %v", n, list)
		}
		return list
	}
	if all := ids(matchAny); len(all) != 2 || all[0] != 0 || all[1] != 2 {
		t.Errorf("private waiters: %v", all)
	}
	if shared := ids(2 | notPrivate); len(shared) != 1 || shared[0] != 1 {
		t.Errorf("shared waiters: %v", shared)
	}
	qs.wake(r.threads[0], 7)
	if left := ids(matchAny); len(left) != 1 || left[0] != 2 || host.of[0] != 7 || len(now.wakes) != 1 {
		t.Errorf("after a wake: %v, results %v, wakes %v", left, host.of, now.wakes)
	}
	if m.Rewind(mark); len(ids(matchAny)) != 0 || r.threads[2].wait.kind.Peek() != awake {
		t.Error("threads wait before they began to")
	}
}
