package library

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// look is all of a world's state that a step changes, as plain data.
type look struct {
	Objects string
	Threads []string
	Blocks  string
	Memory  []byte
	Digest  trace.Digest
}

func (w *world) look() (l look) {
	l.Objects = shown(maps.Collect(w.objects.All()))
	for i := range w.threads {
		th := &w.threads[i]
		l.Threads = append(l.Threads, fmt.Sprintf("%+v %+v %+v", *th.Thread, th.life, th.call))
	}
	for _, b := range w.heap.Blocks() {
		l.Blocks += fmt.Sprintf("%+v\n", b)
	}
	l.Memory = slices.Clone(w.machine.Bytes(fakeData, 0x1000))
	l.Digest = w.Digest()
	for i := range w.threads {
		h := trace.NewHash()
		w.HashThread(trace.TID(i), &h, true)
		l.Digest.Add(h.Sum())
	}
	return l
}

// TestGoesBack: whatever threads do to objects, blocks and names, a rewind brings all of
// it back.
func TestGoesBack(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 3, Config{})
		w.machine.Write(fakeData+0x800, []byte("/name\x00"))
		w.machine.Write64(when, 1)
		root := w.core.Mark()
		random := []struct {
			role profile.Role
			args []uint64
		}{
			{profile.MutexLock, []uint64{mutexA}}, {profile.MutexLock, []uint64{mutexB}}, {profile.MutexTimedLock, []uint64{mutexA, when}},
			{profile.MutexTryLock, []uint64{mutexA}}, {profile.MutexUnlock, []uint64{mutexA}}, {profile.MutexUnlock, []uint64{mutexB}},
			{profile.MutexDestroy, []uint64{mutexB}}, {profile.MutexInit, []uint64{mutexB, 0}},
			{profile.CondWait, []uint64{condA, mutexA}}, {profile.CondSignal, []uint64{condA}}, {profile.CondBroadcast, []uint64{condA}},
			{profile.SemInit, []uint64{semA, 0, 1}}, {profile.SemWait, []uint64{semA}}, {profile.SemPost, []uint64{semA}}, {profile.SemGetValue, []uint64{semA, result}},
			{profile.RWReadLock, []uint64{rwA}}, {profile.RWWriteLock, []uint64{rwA}}, {profile.RWUnlock, []uint64{rwA}},
			{profile.BarrierInit, []uint64{barA, 0, 2}}, {profile.BarrierWait, []uint64{barA}},
			{profile.SemOpen, []uint64{fakeData + 0x800, semCreate, 0o600, 2}}, {profile.SemUnlink, []uint64{fakeData + 0x800}},
			{profile.Malloc, []uint64{40}}, {profile.Calloc, []uint64{3, 100}}, {profile.Once, []uint64{onceA, fakeReturn}},
		}
		moved := 0
		rapid.Check(t, func(rt *rapid.T) {
			w.core.Rewind(root)
			type kept struct {
				mark trace.Mark
				look look
			}
			marks := []kept{{root, w.look()}}
			var blocks []uint64
			for range rapid.IntRange(1, 60).Draw(rt, "operations") {
				switch rapid.SampledFrom([]string{"run", "run", "run", "run", "mark", "rewind"}).Draw(rt, "operation") {
				case "mark":
					marks = append(marks, kept{w.core.Mark(), w.look()})
				case "rewind":
					marks = marks[:rapid.IntRange(1, len(marks)).Draw(rt, "to")]
					k := marks[len(marks)-1]
					w.core.Rewind(k.mark)
					if now := w.look(); !reflect.DeepEqual(now, k.look) {
						rt.Fatalf("after a rewind:\n%+v\nit was:\n%+v", now, k.look)
					}
				case "run":
					id := trace.TID(rapid.IntRange(0, len(w.threads)-1).Draw(rt, "thread"))
					th := &w.threads[id]
					switch th.Stand {
					case scheduler.StandFailure:
					case scheduler.StandOp:
						if w.possible(th) || th.timed {
							w.step(t, id, trace.Choice(rapid.Uint32Range(0, w.outcomes(th)-1).Draw(rt, "outcome")))
							moved++
						}
					default:
						if len(blocks) > 0 && rapid.IntRange(0, 5).Draw(rt, "free") == 0 {
							w.call(t, id, profile.Free, blocks[0])
							blocks = blocks[1:]
							break
						}
						c := rapid.SampledFrom(random).Draw(rt, "call")
						v := w.call(t, id, c.role, c.args...)
						if c.role == profile.Malloc && v == scheduler.Pass {
							blocks = append(blocks, th.Regs.RAX)
						}
					}
				}
			}
		})
		if moved < 50 {
			t.Errorf("only %d operations were carried out", moved)
		}
	})
}

// TestAllocators: blocks of live threads never overlap, keep what is written there, and
// have the same addresses in whatever order threads allocate.
func TestAllocators(t *testing.T) {
	w := newWorld(t, elffile.Glibc, 2, Config{})
	root := w.core.Mark()
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Uint64Range(1, 5000), 1, 12).Draw(rt, "sizes")
		order := rapid.SliceOfN(rapid.IntRange(0, 1), len(sizes), len(sizes)).Draw(rt, "threads")
		run := func(turns []int) (at [2][]uint64) {
			w.core.Rewind(root)
			next := [2][]uint64{}
			for i, n := range sizes {
				next[order[i]] = append(next[order[i]], n)
			}
			type block struct{ at, size uint64 }
			var live []block
			for _, turn := range turns {
				n := next[turn][0]
				next[turn] = next[turn][1:]
				p := w.does(t, trace.TID(turn), profile.Malloc, n)
				if p == 0 || p%16 != 0 {
					rt.Fatalf("%d bytes at %#x", n, p)
				}
				for _, b := range live {
					if p < b.at+b.size && b.at < p+n {
						rt.Fatalf("%d bytes at %#x overlap %d at %#x", n, p, b.size, b.at)
					}
				}
				if w.machine.Dead(p, n) || !w.machine.Dead(p+n, 1) {
					rt.Fatalf("of %d bytes at %#x not all can be used, or one more", n, p)
				}
				live = append(live, block{p, n})
				at[turn] = append(at[turn], p)
			}
			return at
		}
		first, sorted := run(order), slices.Sorted(slices.Values(order))
		if again := run(sorted); !reflect.DeepEqual(first, again) {
			rt.Fatalf("in order %v: %x; in order %v: %x", order, first, sorted, again)
		}
		id := trace.TID(sorted[0])
		p := first[id][0]
		w.machine.Write64(p&^7, 77)
		if q := w.does(t, id, profile.Realloc, p, 6000); w.machine.Read64(q) != 77 {
			rt.Fatalf("realloc to %#x loses what was written", q)
		} else if q != p && !w.machine.Dead(p, 1) {
			rt.Fatal("the old block is alive")
		} else {
			p = q
		}
		w.does(t, id, profile.Free, p)
		if w.call(t, id, profile.Free, p); w.failure(id) == nil || w.failure(id).Kind != trace.DoubleFree {
			rt.Fatalf("freed twice: %+v", w.failure(id))
		}
	})
}
