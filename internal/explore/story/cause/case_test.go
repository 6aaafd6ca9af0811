package cause

import (
	"strings"
	"testing"

	"landgo/heap"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// Memory with names. Instructions have their lines for addresses.
const (
	balance = record.LowestVariable + 64*iota
	total
	lock
	other
	cond
	word
)

var named = map[uint64]string{balance: "balance", total: "total", lock: "lock", other: "other", cond: "cond", word: "word"}

// guest is a guest of three threads, named by their numbers, whose code is in one function a ten of
// lines. It tells what it has without a machine.
type guest struct {
	run   *record.Run
	block heap.Block
	freed []result.Frame // where the block was given back
	// decides: what an instruction reads decides whether others are run.
	decides bool
}

func (guest) Name(t trace.TID) string { return string('0' + rune(t)) }

func (guest) Lookup(name string) (trace.TID, bool) {
	if name == "" {
		return trace.NoThread, false
	}
	return trace.TID(name[0] - '0'), true
}

func (guest) StateText(trace.TID) string                { return "ready" }
func (guest) Variable(addr uint64) (string, bool)       { return named[addr], named[addr] != "" }
func (guest) VariableName(addr uint64) string           { return named[addr] }
func (guest) OpText(trace.Op) string                    { return "" }
func (guest) Atomic(pc, addr uint64) bool               { return false }
func (guest) IsBuffer(trace.TID) bool                   { return false }
func (g *guest) Decides(read, use uint64) bool          { return g.decides }
func (guest) Again(uint64) (plain, calling bool)        { return false, false }
func (guest) OnThreads(uint64) bool                     { return false }
func (guest) OneFunction(pc, other uint64) bool         { return pc/10 == other/10 }
func (guest) Word() uint64                              { return 8 }
func (guest) Named(text string) string                  { return text }
func (guest) Born() []trace.TID                         { return []trace.TID{1, 2, 3} }
func (guest) CreatedAt(trace.TID) result.Frame          { return result.Frame{} }
func (g *guest) BlockAt(addr uint64) (heap.Block, bool) { return g.block, g.block.Contains(addr) }

func (guest) Starts() []scheduler.Start {
	return []scheduler.Start{{Thread: 1}, {Thread: 2}, {Thread: 3}}
}

func (g *guest) FreedAt(b *heap.Block) ([]result.Frame, bool) {
	return g.freed, b.Addr == g.block.Addr
}

func (guest) Frames(pcs []uint64) (list []result.Frame) {
	for _, pc := range pcs {
		list = append(list, line(pc))
	}
	return list
}

func line(pc uint64) result.Frame {
	return result.Frame{Function: "f" + string('0'+rune(pc/10)), File: "guest.c", Line: int(pc)}
}

func (g *guest) Shown(x record.At) result.Access {
	a := g.run.AccessAt(x)
	op := "reads"
	if a.IsWrite() {
		op = "writes"
	}
	return result.Access{Thread: g.Name(g.run.Maker(x)), Op: op, Address: result.Addr(a.Addr), Size: a.Size, Symbol: named[a.Addr], Stack: g.Frames([]uint64{a.PC}), Held: g.run.Held(x)}
}

// made is an access with its value, or an operation.
type made struct {
	a   trace.Access
	raw uint64
	op  *trace.Op
}

func reads(addr, line, raw uint64) made {
	return made{a: trace.Access{Addr: addr, Size: 8, PC: line}, raw: raw}
}

func writes(addr, line, raw uint64) made {
	return made{a: trace.Access{Addr: addr, Size: 8, PC: line, Flags: trace.Write}, raw: raw}
}

func does(kind trace.OpKind, obj, line uint64) made {
	return made{op: &trace.Op{Kind: kind, Obj: obj, PC: line + 1}}
}

// step is a step in which a thread does things, one after the other.
func step(t trace.TID, list ...made) record.Beat {
	b := record.Beat{Step: por.PathStep{Thread: t}}
	for _, m := range list {
		if m.op != nil {
			m.op.At = uint32(len(b.Accesses))
			b.Ops = append(b.Ops, *m.op)
			continue
		}
		b.Accesses, b.Values = append(b.Accesses, m.a), append(b.Values, record.Value{Raw: m.raw})
	}
	return b
}

// preempting is a step for which the thread of the one before is preempted.
func preempting(b record.Beat) record.Beat {
	b.Step.Preemption = true
	return b
}

// newCase is a case of a run of steps.
func newCase(beats ...record.Beat) (*Case, *guest) {
	g := &guest{}
	held := map[trace.TID][]string{}
	for i := range beats {
		t := beats[i].Step.Thread
		beats[i].Held = held[t]
		held[t] = record.New(g).HeldAfter(&beats[i], len(beats[i].Ops))
	}
	g.run = record.New(g, beats...)
	return New(g.run, g, g, g, false, false), g
}

// TestMistakes: what threads do, by its events alone, shows a mistake of a kind, or none.
func TestMistakes(t *testing.T) {
	takes, gives := func(l, line uint64) made { return does(trace.OpLock, l, line) }, func(l, line uint64) made { return does(trace.OpUnlock, l, line) }
	for _, c := range []struct {
		name  string
		beats []record.Beat
		waits []result.Wait
		want  string // what the mistake says, in part; "" if there is none
	}{
		{"an update without a lock", []record.Beat{
			step(1, reads(balance, 11, 0)), preempting(step(2, reads(balance, 21, 0), writes(balance, 22, 1))), step(1, writes(balance, 12, 1)),
		}, nil, "Nothing keeps thread 2's change of balance (guest.c:22) from coming between thread 1's read (guest.c:11) and write (guest.c:12)"},
		{"a lock on one side", []record.Beat{
			step(1, takes(lock, 10), reads(balance, 11, 0)), preempting(step(2, writes(balance, 22, 1))), step(1, writes(balance, 12, 1), gives(lock, 13)),
		}, nil, "Thread 2 changes balance (guest.c:22) without lock, which thread 1 holds"},
		{"different locks", []record.Beat{
			step(1, takes(lock, 10), reads(balance, 11, 0)), preempting(step(2, takes(other, 21), writes(balance, 22, 1), gives(other, 23))), step(1, writes(balance, 12, 1), gives(lock, 13)),
		}, nil, "Thread 1 holds lock at its accesses to balance (guest.c:11, guest.c:12), and thread 2 holds other (guest.c:22)"},
		{"released in between", []record.Beat{
			step(1, takes(lock, 10), reads(balance, 11, 0), gives(lock, 12)), preempting(step(2, takes(lock, 21), writes(balance, 22, 1), gives(lock, 23))),
			step(1, takes(lock, 13), writes(balance, 14, 1), gives(lock, 15)),
		}, nil, "Thread 1 releases lock (guest.c:12) between its two accesses to balance (guest.c:11, guest.c:14)"},
		{"looked before the lock", []record.Beat{
			step(1, reads(balance, 11, 0)), preempting(step(2, takes(lock, 21), writes(balance, 22, 1), gives(lock, 23))),
			step(1, takes(lock, 12), reads(balance, 13, 1), writes(balance, 13, 2), gives(lock, 14)),
		}, nil, "Thread 1 looks at balance (guest.c:11) before it takes lock"},
		{"a whole update under one lock", []record.Beat{
			step(1, takes(lock, 10), reads(balance, 11, 0), writes(balance, 12, 1), gives(lock, 13)), step(2, takes(lock, 21), reads(balance, 22, 1), writes(balance, 22, 2), gives(lock, 23)),
		}, nil, ""},
		{"a signal before the wait", []record.Beat{
			step(2, does(trace.OpCondSignal, cond, 21)), step(1, takes(lock, 10), does(trace.OpCondWait, cond, 11)),
		}, []result.Wait{{Thread: "1", For: "condition variable", Object: "cond", Address: cond, Stack: []result.Frame{line(11)}}},
			"Thread 2 signals cond (guest.c:21) before thread 1 waits for it (guest.c:11): the signal is lost"},
		{"a signal to another thread", []record.Beat{
			step(1, does(trace.OpCondWait, cond, 11)), step(3, does(trace.OpCondWait, cond, 31)), waking(step(2, does(trace.OpCondSignal, cond, 21)), 3),
		}, []result.Wait{{Thread: "1", For: "condition variable", Object: "cond", Address: cond, Stack: []result.Frame{line(11)}}},
			"Thread 2's signal (guest.c:21) wakes thread 3, not thread 1, which waits for cond too (guest.c:11). Broadcast, or give each kind of waiter"},
	} {
		cs, _ := newCase(c.beats...)
		b := result.Bug{Kind: trace.Assertion, Waits: c.waits}
		cs.Explain(&b, &scheduler.Failure{Kind: trace.Assertion, Thread: 1})
		if c.want == "" && b.Mistake != "" || !strings.Contains(b.Mistake, c.want) {
			t.Errorf("%s: %q, want %q", c.name, b.Mistake, c.want)
		}
	}
}

// waking is a step that wakes a thread.
func waking(b record.Beat, t trace.TID) record.Beat {
	b.Wakes = append(b.Wakes, t)
	return b
}

// TestUseAfterFree: a thread finds a pointer in a variable, and another one frees the block before it
// is done with it.
func TestUseAfterFree(t *testing.T) {
	const block = 1 << 20
	cs, g := newCase(
		step(1, writes(word, 11, block)), step(2, reads(word, 21, block)),
		preempting(step(1, does(trace.OpFree, block, 12))), step(2, reads(block, 22, 0)),
	)
	g.block = heap.Block{Addr: block, Size: 64, Freed: true, Back: heap.Event{Thread: 1, Step: 3}}
	g.freed = []result.Frame{line(12)}
	b := result.Bug{Kind: trace.UseAfterFree, Thread: "2", Stack: []result.Frame{line(22)}}
	cs.Explain(&b, &scheduler.Failure{Kind: trace.UseAfterFree, Thread: 2, Block: g.block})
	if want := "thread 1 frees the block (guest.c:12) before thread 2 uses it (guest.c:22)"; b.Cause != want {
		t.Errorf("the cause is %q, want %q", b.Cause, want)
	}
	if want := "Thread 2 takes the pointer from word (guest.c:21), and thread 1 frees the block (guest.c:12) before thread 2 is done with it (guest.c:22)."; !strings.HasPrefix(b.Mistake, want) {
		t.Errorf("the mistake is %q, want %q", b.Mistake, want)
	}
}

// TestAgainst: of a run that fails and one that passes, two accesses come the other way round. A run
// in the same order as the other differs in nothing.
func TestAgainst(t *testing.T) {
	gives, takes := step(2, writes(balance, 21, 1)), step(1, reads(balance, 11, 0))
	fails, _ := newCase(takes, gives)
	passes, _ := newCase(gives, takes)
	same, _ := newCase(gives, takes)
	p := fails.Against(passes)
	if want := "In a run that passes, thread 2 writes balance (guest.c:21) before thread 1 reads it (guest.c:11); here thread 1 comes first."; p.Text != want {
		t.Errorf("%q, want %q", p.Text, want)
	}
	if differs := p.Differs; len(differs) != 2 || differs[0].Thread != "1" || differs[0].Step != 1 || differs[1].Thread != "2" || differs[1].Step != 2 {
		t.Errorf("the events are %+v", differs)
	}
	if p := same.Against(passes); p.Text != "" || p.Differs != nil || p.Mistake(&result.Bug{}, 1) != "" {
		t.Errorf("of the same order: %q, %+v", p.Text, p.Differs)
	}
}

// TestMistakesOfPairs: a run that passes shows what a thread reads too early. Whether what it reads first
// decides over the rest makes the difference between half a change and a check without its lock.
func TestMistakesOfPairs(t *testing.T) {
	takes, gives := does(trace.OpLock, lock, 20), does(trace.OpUnlock, lock, 23)
	for _, c := range []struct {
		name    string
		decides bool
		want    string
	}{
		{"half a change", false, "Thread 1 reads total (guest.c:12) and word (guest.c:11) without lock, under which thread 2 changes both (guest.c:22, guest.c:21). Hold lock over both reads."},
		{"checked without the lock", true, "Thread 1 finds word set (guest.c:11) without lock, and uses total (guest.c:12): thread 2 sets it (guest.c:21) before it writes total (guest.c:22). Set it last, or look at it under lock."},
	} {
		first, second := step(2, takes, writes(word, 21, 1)), step(2, writes(total, 22, 5), gives)
		fails, g := newCase(first, preempting(step(1, reads(word, 11, 1), reads(total, 12, 0))), second)
		g.decides = c.decides
		first, second = step(2, takes, writes(word, 21, 1)), step(2, writes(total, 22, 5), gives)
		passes, _ := newCase(first, second, step(1, reads(word, 11, 1), reads(total, 12, 5)))
		if got := fails.Against(passes).Mistake(&result.Bug{}, 1); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestInCycle: a long cycle is told by its first turns and its last, a short one whole.
func TestInCycle(t *testing.T) {
	for _, c := range []struct {
		turns []string
		want  string
	}{
		{[]string{"a", "b"}, "a; b."},
		{[]string{"a", "b", "c", "d"}, "a; b; c; d."},
		{[]string{"a", "b", "c", "d", "e"}, "a; b; c; so on, for 1 more; e."},
		{[]string{"a", "b", "c", "d", "e", "f", "g"}, "a; b; c; so on, for 3 more; g."},
	} {
		if got := inCycle(c.turns); !strings.Contains(got, ": "+c.want+" ") {
			t.Errorf("%v: %s", c.turns, got)
		}
	}
}
