package scheduler

import (
	"reflect"
	"testing"

	"landgo/emu"
	"landgo/internal/compile"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/linked"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/linux"
)

// ordinary is the Carrier of a program whose functions all are ordinary code. It counts
// what it keeps.
type ordinary struct {
	uncarried
	Watcher
	Signals
	Lives
	in           *System
	kept, marked int
}

func (o *ordinary) Keep(trace.TID)                                              { o.kept++ }
func (o *ordinary) Mark(trace.Mark)                                             { o.marked++ }
func (o *ordinary) Digest() trace.Digest                                        { return trace.Digest{} }
func (o *ordinary) HashThread(trace.TID, *trace.Hash, bool)                     {}
func (o *ordinary) Boot(kernel.Kernel, map[uint64]profile.Bound)                {}
func (o *ordinary) CarriesOut(uint64) bool                                      { return false }
func (o *ordinary) AtCallersReturn(trace.TID) bool                              { return false }
func (o *ordinary) Fell(trace.TID, *trace.Transition) (bool, error)             { return false, nil }
func (o *ordinary) Accessed(trace.TID, *trace.Transition, []trace.Access, bool) {}
func (o *ordinary) Own(uint64) bool                                             { return false }
func (o *ordinary) ComesBack(trace.TID, string) bool                            { return false }
func (o *ordinary) InCall(trace.TID, uint64, uint64, uint64)                    {}
func (o *ordinary) Born(trace.TID, trace.TID, uint64)                           {}
func (o *ordinary) Got(trace.TID, uint64, uint64)                               {}
func (o *ordinary) Drop(kernel.Pages)                                           {}
func (o *ordinary) StackEnds(trace.TID, *trace.Transition, uint64, uint64)      {}
func (o *ordinary) ObjectBytes() [][2]uint64                                    { return nil }
func (o *ordinary) Deadlines(func(trace.TID, uint64))                           {}
func (o *ordinary) RunOut(trace.TID, *trace.Transition)                         {}
func (o *ordinary) LeaveProcess(trace.TID) error                                { return nil }
func (o *ordinary) Leave(t trace.TID, tr *trace.Transition) (*Failure, error) {
	o.in.Ends.Exit(t, tr, true)
	return nil, nil
}

// withoutLibc has two threads that add to a number. It uses no library.
const withoutLibc = `
volatile int n, done;
char stack[4096] __attribute__((aligned(16)));
static long call(long nr, long a) {
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "a"(nr), "D"(a) : "rcx", "r11", "memory");
	return r;
}
void child(void) { n = n + 1; done = 1; call(60, 0); }
void _start(void) {
	__asm__ volatile("syscall; test %%eax, %%eax; jnz 1f; call child; 1:"
		: : "a"(56L), "D"(0x50f00L), "S"(stack + sizeof stack) : "rcx", "r11", "rdx", "memory");
	n = n + 10;
	while (!done) ;
	call(231, n != 11);
}`

// bootOrdinary brings that program under control; with store buffers, if asked for.
func bootOrdinary(t testing.TB, buffers bool) (*System, *ordinary) {
	t.Helper()
	needsProcessor(t)
	img, err := image.Open(compile.Exact(t, "gcc", "guest.c", withoutLibc, "-g", "-O1", "-static", "-nostdlib", "-fno-stack-protector", "-fcf-protection=none"), linked.Search{})
	if err != nil {
		t.Fatal(err)
	}
	mc := emu.Config{Space: linux.DefaultSpace}
	for _, r := range img.Code {
		mc.Code = append(mc.Code, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	m, err := emu.New(mc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	s := New(Config{Granularity: Granularity{Points: trace.PointMem}, StepBudget: 10_000_000, Buffers: buffers}, m, img)
	o := &ordinary{in: s}
	s.Carry(Carrier{o, o, o, o, o, o, o, o})
	bootLinux(t, s, img.File)
	return s, o
}

// bootLinux puts a guest of Linux into a System, at its first instruction.
func bootLinux(t testing.TB, s *System, f *elffile.File) {
	t.Helper()
	k, err := linux.New(s.Host(), f, linux.Config{Args: []string{"guest"}})
	if err != nil {
		t.Fatal(err)
	}
	regs, err := k.Boot()
	if err != nil {
		t.Fatal(err)
	}
	s.Boot(k, nil, &regs)
}

// enumerate runs every interleaving, depth first, from the root, and counts their ends
// by kind. It begins again while points become finer.
func enumerate(t testing.TB, s *System, root trace.Mark) map[trace.End]int {
	ends := map[trace.End]int{}
	var from func() bool
	from = func() bool {
		k := s.Mark()
		for _, th := range s.Threads(nil) {
			if th.Status != trace.Ready {
				continue
			}
			tr, err := s.Step(th.ID, 0)
			if err == trace.ErrFiner {
				return false
			}
			if err != nil {
				t.Fatal(err)
			}
			if tr.End == trace.EndProcess || tr.End == trace.EndBug {
				ends[tr.End]++
			} else if !from() {
				return false
			}
			s.Rewind(k)
		}
		return true
	}
	for s.Rewind(root); !from(); s.Rewind(root) {
		clear(ends)
	}
	s.Rewind(root)
	return ends
}

// TestLifetimes: over all executions of a guest what is fixed stays as it was, and what
// goes back is at the root as it was there. The core needs no library for that.
func TestLifetimes(t *testing.T) {
	s, o := bootOrdinary(t, false)
	fixedWas := s.fixed
	root := s.Mark()
	first := enumerate(t, s, root) // what was learned on the way has begun the enumeration anew
	cellsWas, threadsWas, state := s.cells, s.threads[0], s.State()
	ends := enumerate(t, s, root)
	// Of the orders of two reads and two writes, two lose no update.
	if ends[trace.EndBug] == 0 || ends[trace.EndProcess] == 0 || !reflect.DeepEqual(ends, first) {
		t.Fatalf("%v executions, then %v", first, ends)
	}
	if s.cells != cellsWas || !reflect.DeepEqual(s.threads[0], threadsWas) || s.State() != state {
		t.Errorf("at the root:\n%+v %+v\nit was:\n%+v %+v", s.cells, s.threads[0], cellsWas, threadsWas)
	}
	for i := range s.threads {
		if i > 0 && s.threads[i].Exists {
			t.Errorf("thread %s exists at the root", s.Name(s.threads[i].ID))
		}
	}
	if len(s.steps) != 0 || len(s.places) != 0 || s.threadLog.Len() != 0 {
		t.Errorf("%d steps, %d places, %d kept threads are left", len(s.steps), len(s.places), s.threadLog.Len())
	}
	if !reflect.DeepEqual(s.fixed, fixedWas) {
		t.Error("what is fixed has changed")
	}
	if o.kept == 0 || o.marked == 0 {
		t.Error("the carrier wasn't asked to keep anything")
	}
}

// TestScoutBuffers: a look at what the others do goes past what is still in store buffers.
func TestScoutBuffers(t *testing.T) {
	s, _ := bootOrdinary(t, true)
	root := s.Mark()
	buffered := func() bool {
		for {
			next := trace.NoThread
			for _, th := range s.Threads(nil) {
				if s.isBuffer(th.ID) && th.Status == trace.Ready {
					return true
				} else if th.Status == trace.Ready {
					next = th.ID
				}
			}
			tr, err := s.Step(next, 0)
			if err == trace.ErrFiner {
				s.Rewind(root)
			} else if err != nil {
				t.Fatal(err)
			} else if tr.End == trace.EndProcess {
				return false
			}
		}
	}
	if !buffered() {
		t.Fatal("no store was in a buffer")
	}
	tr := s.steps[len(s.steps)-1].tr
	journal := s.machine.Journal()
	if s.scouts.scout(s.edit(tr.Thread), tr, scoutAfter); s.machine.Journal() != journal {
		t.Error("it wasn't taken back")
	}
}
