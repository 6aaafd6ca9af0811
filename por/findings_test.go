package por

import (
	"testing"

	"landgo/por/internal/model"
)

// The differential test's findings, by number, with their causes. Each program goes
// through every search.
type finding struct {
	name string
	prog model.Program
}

var findings = []finding{
	{"1: sleep sets added to DPOR as its paper says lose executions", model.Program{MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Load, R: 1, Size: 4}},
		{{Code: model.Store, A: 6, C: 1, Size: 4}, {Code: model.SemWait, A: 1}},
		{{Code: model.Store, A: 8}, {Code: model.Load}, {Code: model.StoreR, C: 1}, {Code: model.Barrier}},
	}}},
	{"2: what happens before a release that isn't needed isn't needed either", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Lock}, {Code: model.Unlock}},
		{{Code: model.Lock, A: 1}, {Code: model.Lock}, {Code: model.Unlock}, {Code: model.Unlock, A: 1}},
		{{Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}},
	}}},
	{"3: of a coarse step that stays blocked only the beginning is known", model.Program{Coarse: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.SemPost}, {Code: model.Lock}, {Code: model.Load, A: 6, Size: 4}, {Code: model.Unlock},
			{Code: model.Lock}, {Code: model.Load}, {Code: model.Unlock}, {Code: model.Load, A: 6, Size: 4}},
		{{Code: model.Load, A: 4, Size: 2}, {Code: model.Lock}, {Code: model.Load}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Load}},
		{{Code: model.Load}, {Code: model.FetchAdd, A: 8, C: 1}},
	}}},
	{"4: an execution that is cut has pending operations too, at coarse granularity", model.Program{Coarse: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.SemPost}, {Code: model.Lock}, {Code: model.Load}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Unlock},
			{Code: model.Lock}, {Code: model.Load}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Load}},
		{{Code: model.Lock}, {Code: model.Load}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Unlock},
			{Code: model.Lock}, {Code: model.FetchAdd, C: 1}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}},
		{{Code: model.Load}, {Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.JumpNe, A: 5}, {Code: model.CondWait}, {Code: model.Unlock}},
	}}},
	{"5: a compare-and-exchange that failed may succeed, and then comes after reads", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.FetchAdd, A: 6, C: 1, Size: 4}},
		{{Code: model.Load}, {Code: model.CompareEx, D: 1}},
		{{Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.JumpNe, A: 4}, {Code: model.CondWait}, {Code: model.Unlock},
			{Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.JumpNe, A: 9}, {Code: model.CondWait}, {Code: model.Unlock}},
	}}},
	{"6: a writer that two independent readers keep out for ever", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.ReadLock}}, {{Code: model.ReadLock}},
		{{Code: model.WriteLock}, {Code: model.Load}, {Code: model.RWUnlock}},
	}}},
	{"7: the same, one reader leaving because of another", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.ReadLock}, {Code: model.Store, C: 1}, {Code: model.RWUnlock}},
		{{Code: model.ReadLock}, {Code: model.Load}, {Code: model.JumpIf, A: 4}, {Code: model.RWUnlock}, {Code: model.Nop}},
		{{Code: model.WriteLock}, {Code: model.RWUnlock}},
	}}},
	{"8: a step that does less than it might have done wakes less", model.Program{MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.CompareEx, C: 1, D: 1}}, {{Code: model.Signal}}, {{Code: model.Load}},
	}}},
	{"9: a thread that blocks on a lock of its own isn't let in by what it waits for", model.Program{Overlay: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Load, A: 8}, {Code: model.Load}},
		{{Code: model.Lock}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Lock}},
		{{Code: model.Lock}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}},
	}}},
	{"10: what a release's own write hides, when both are left out", model.Program{MainEnds: true, Merge: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}, {Code: model.Join, A: 2}},
		{{Code: model.Lock}, {Code: model.CompareEx, D: 1}, {Code: model.Unlock}},
		{{Code: model.TryLock, R: 1}, {Code: model.JumpIf, R: 1, A: 4}, {Code: model.Store}, {Code: model.Unlock}},
		{{Code: model.Store, C: 1}},
	}}},
	{"11: a thread that stays blocked on a lock would have gone on with it", model.Program{Merge: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Lock}, {Code: model.Store, Size: 4}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}},
		{{Code: model.Load}, {Code: model.Lock}, {Code: model.Load}, {Code: model.Unlock}, {Code: model.Lock}, {Code: model.CompareEx, C: 1, D: 1}, {Code: model.Unlock}},
		{{Code: model.Store, A: 6, Size: 4}, {Code: model.Barrier}, {Code: model.Broadcast}, {Code: model.Signal}},
	}}},
	{"12: a race is settled only if no level of the tree depends on what came later", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.FetchAdd, A: 4, C: 1, Size: 2}},
		{{Code: model.StoreR, C: 1, R: 1, Size: 4}, {Code: model.CompareEx, C: 1, D: 1}, {Code: model.Store, C: 1, Size: 4}},
		{{Code: model.Store, Size: 4}, {Code: model.Load, Size: 4}},
	}}},
	{"13: within a bound, a thread that begins to wait for a lock races with its owner then, not only with its last one", model.Program{MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Join, A: 2}},
		{{Code: model.Exchange, C: 2}, {Code: model.Lock}, {Code: model.Store, C: 1, Size: 4}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Lock, A: 1},
			{Code: model.Store, Size: 4}, {Code: model.FetchAdd, C: 1, Size: 4}},
		{{Code: model.Load, Size: 4}, {Code: model.StoreR, C: 1, Size: 4}, {Code: model.Lock, A: 1}, {Code: model.StoreR, C: 1, Size: 4}, {Code: model.Unlock, A: 1},
			{Code: model.Lock, A: 1}, {Code: model.StoreR, C: 1, Size: 4}, {Code: model.Lock}, {Code: model.Unlock}, {Code: model.Unlock, A: 1}, {Code: model.Signal}},
	}}},
	{"14: Source-BPOR as in the slides: a source set isn't persistent, and what is in it may be dearer", model.Program{MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}, {Code: model.Join, A: 2}, {Code: model.Join, A: 3}},
		{{Code: model.Store, Size: 4}},
		{{Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.JumpNe, A: 4}, {Code: model.CondWait}, {Code: model.Unlock}},
		{{Code: model.Load, Size: 4}, {Code: model.AssNe, C: 2, A: 1}},
	}}},
	{"15: a wait on a condition variable that was cut off would have given its mutex back", model.Program{MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}},
		{{Code: model.Lock}, {Code: model.CondWait}},
		{{Code: model.TryLock}},
	}}},
	{"16: a conservative point comes after all else that was explored: what sleeps then must own what it did", model.Program{Standing: true, Threads: [][]model.Instr{
		{{Code: model.Lock, A: 1}, {Code: model.Store}, {Code: model.Lock}, {Code: model.Unlock}, {Code: model.Unlock, A: 1}, {Code: model.FetchAdd, C: 1}},
		{{Code: model.Yield}, {Code: model.Load, Size: 4}, {Code: model.Lock, A: 1}, {Code: model.Load, Size: 4}, {Code: model.StoreR, C: 1, Size: 4}, {Code: model.Lock}, {Code: model.Unlock}},
	}}},
	{"17: at a block's start the thread that a race is about may be asleep, and what leads to its step isn't", model.Program{Merge: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Lock}, {Code: model.FetchAdd, C: 1}, {Code: model.Join, A: 2}},
		{{Code: model.Load}, {Code: model.AssNe, A: 1, C: 1}},
		{{Code: model.Load, Size: 4}, {Code: model.Yield}, {Code: model.Signal}},
	}}},
	{"18: what a coarse step depends on may be settled by another, before which it doesn't depend on a third", model.Program{Coarse: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.ReadLock}, {Code: model.Load, A: 6, Size: 4}, {Code: model.RWUnlock}, {Code: model.Join, A: 1}, {Code: model.Join, A: 2}},
		{{Code: model.StoreR, R: 1, C: 1, Size: 4}, {Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.JumpNe, A: 5}, {Code: model.CondWait}, {Code: model.Unlock}},
		{{Code: model.Lock}, {Code: model.CompareEx, R: 1, C: 1, D: 1}, {Code: model.Unlock}},
	}}},
	{"19: of two readers that keep a writer out, both of which a revisit keeps, the first counts: trust went round in a circle", model.Program{Standing: true, Threads: [][]model.Instr{
		{{Code: model.Load}, {Code: model.WriteLock}},
		{{Code: model.ReadLock}, {Code: model.Load}},
		{{Code: model.ReadLock}, {Code: model.Store, C: 1}},
	}}},
	{"20: the same with an end that the bound forbids after any of two reads", model.Program{Standing: true, MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Load, Size: 4}}, {{Code: model.Load, Size: 4}}, {{Code: model.Load, Size: 4}}, {{Code: model.Exchange, C: 2}},
	}}},
	{"21: a thread that was found to be beyond the bound at a turn is so when the graph is made again", model.Program{Standing: true, Overlay: true, Threads: [][]model.Instr{
		{{Code: model.Lock}}, {{Code: model.Lock}}, {{Code: model.FetchAdd, C: 1, Size: 4}}, {{Code: model.Lock}, {Code: model.Unlock}},
	}}},
	{"22: the same, with threads that are created, as it was found", model.Program{Overlay: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}, {Code: model.Join, A: 1}, {Code: model.Join, A: 2}, {Code: model.Join, A: 3}},
		{{Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.JumpNe, A: 4}, {Code: model.CondWait}, {Code: model.Unlock}, {Code: model.Store, C: 1, Size: 4}},
		{{Code: model.Store}},
		{{Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.Unlock}, {Code: model.Lock}, {Code: model.StoreR, R: 1, C: 1, Size: 4}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Unlock}},
	}}},
	{"23: a compare-and-exchange that fails in a step with a lock may succeed elsewhere, and then it writes", model.Program{Merge: true, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Load, A: 6, Size: 4}},
		{{Code: model.Lock}, {Code: model.CompareEx, C: 1, D: 1}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}},
		{{Code: model.FetchAdd, C: 1, Size: 4}},
	}}},
	{"24: a write in the step that releases hides a read, which another operation of the step that acquires comes after", model.Program{Merge: true, Standing: true, Overlay: true, Threads: [][]model.Instr{
		{{Code: model.Lock}, {Code: model.Load}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}, {Code: model.Unlock}},
		{{Code: model.TryLock, A: 1}, {Code: model.JumpIf, A: 4}, {Code: model.FetchAdd, C: 1}, {Code: model.Unlock, A: 1}},
		{{Code: model.Load}},
	}}},
	{"25: within a bound, what should come before a sleeper isn't found by the sleeper's races: at a block's start that is each thread's turn", model.Program{Standing: true, Threads: [][]model.Instr{
		{{Code: model.Load, A: 8}, {Code: model.StoreR, A: 8, C: 1}},
		{{Code: model.CompareEx, A: 6, D: 1, Size: 4}},
		{{Code: model.Load}},
		{{Code: model.FetchAdd, C: 1, Size: 4}},
	}}},
	{"26: what a wait that runs out was for could have come first", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}},
		{{Code: model.ReadLock, Timed: true}, {Code: model.SemWait, A: 1}, {Code: model.SemWait, A: 1}, {Code: model.RWUnlock}},
		{{Code: model.WriteLock, R: 1, Timed: true}, {Code: model.JumpIf, R: 1, A: 4}, {Code: model.Store, C: 1}, {Code: model.RWUnlock}},
	}}},
	{"27: to leave a thread whose wait runs out is a preemption only where it needn't wait", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}, {Code: model.Join, A: 3}},
		{{Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.Lock, Timed: true}, {Code: model.FetchAdd, C: 1, Size: 4}, {Code: model.Unlock}},
		{{Code: model.Store, C: 2, Size: 4}},
		{{Code: model.Store, C: 1, Size: 4}, {Code: model.Store, C: 2, Size: 4}},
	}}},
	{"28: which of several displaces a compare-and-exchange that may fail is settled by the writes first: a trace was run twice", model.Program{Standing: true, Threads: [][]model.Instr{
		{{Code: model.CompareEx, C: 1, D: 1}},
		{{Code: model.FetchAdd, C: 1, Size: 4}},
		{{Code: model.FetchAdd, A: 4, C: 1, Size: 2}},
		{{Code: model.Load, Size: 4}},
	}}},
}

// Cases that random programs seldom have.
var byHand = []finding{
	{"Coons, Musuvathi and McKinley 2013, Fig. 1", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}},
		{{Code: model.Store, C: 1}, {Code: model.Store, A: 8, C: 1}},
		{{Code: model.Store, A: 8, C: 2}},
	}}},
	{"yields and locks, for the fair bound", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}},
		{{Code: model.Lock}, {Code: model.Load}, {Code: model.Unlock}, {Code: model.Yield}, {Code: model.Lock}, {Code: model.StoreR, C: 1}, {Code: model.Unlock}, {Code: model.Yield}},
		{{Code: model.Yield}, {Code: model.Lock}, {Code: model.Yield}, {Code: model.Store, C: 7}, {Code: model.Unlock}},
	}}},
	{"two waiters, one signal", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.Lock}, {Code: model.CondWait}, {Code: model.FetchAdd, C: 1}, {Code: model.Unlock}},
		{{Code: model.Lock}, {Code: model.CondWait}, {Code: model.Exchange, C: 7}, {Code: model.Unlock}},
		{{Code: model.Lock}, {Code: model.Signal}, {Code: model.Unlock}, {Code: model.Load}},
	}}},
	{"two waiters, two signals, and an end at any time", model.Program{MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Signal}, {Code: model.Signal}},
		{{Code: model.Lock}, {Code: model.CondWait}, {Code: model.Store, C: 1}, {Code: model.Unlock}},
		{{Code: model.Lock}, {Code: model.CondWait}, {Code: model.Store, C: 2}, {Code: model.Unlock}},
	}}},
	{"a broadcast with others coming", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Lock}, {Code: model.Broadcast}, {Code: model.Unlock}, {Code: model.Signal}},
		{{Code: model.Lock}, {Code: model.CondWait}, {Code: model.FetchAdd, C: 1}, {Code: model.Unlock}},
		{{Code: model.Lock}, {Code: model.CondWait}, {Code: model.Exchange, C: 7}, {Code: model.Unlock}},
	}}},
	{"a spin on two variables", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.Load}, {Code: model.JumpNe, A: 4}, {Code: model.Load, A: 8}, {Code: model.JumpIf, A: 0}, {Code: model.Load, R: 1}},
		{{Code: model.Store, C: 1}}, {{Code: model.Store, A: 8, C: 2}},
	}}},
	{"a spin on two variables, one of them never right", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Load, R: 1}},
		{{Code: model.Load}, {Code: model.Load, A: 8, R: 1}, {Code: model.JumpNe, R: 1, C: 5, A: 0}},
		{{Code: model.Store, C: 1}, {Code: model.Store, A: 8, C: 2}, {Code: model.Store, C: 0}},
	}}},
	{"two threads that spin for each other", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}},
		{{Code: model.Load}, {Code: model.JumpIf, A: 0}, {Code: model.Store, A: 8, C: 1}},
		{{Code: model.Load, A: 8}, {Code: model.JumpIf, A: 0}, {Code: model.Store, C: 1}},
	}}},
	{"a reader that wants to write: it can't before other readers either", model.Program{Standing: true, Threads: [][]model.Instr{
		{{Code: model.ReadLock}, {Code: model.Load}},
		{{Code: model.ReadLock}, {Code: model.Load}, {Code: model.WriteLock}},
	}}},
	{"a thread that wants to write after another's reading", model.Program{Standing: true, Threads: [][]model.Instr{
		{{Code: model.ReadLock}, {Code: model.Load}},
		{{Code: model.ReadLock}, {Code: model.SemPost, A: 1}},
		{{Code: model.SemWait, A: 1}, {Code: model.SemWait, A: 1}, {Code: model.WriteLock}},
	}}},
	{"a yielding spin", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Store, C: 1}},
		{{Code: model.Load}, {Code: model.JumpNe, A: 4}, {Code: model.Yield}, {Code: model.Jump, A: 0}, {Code: model.Store, A: 8, C: 1}},
	}}},
	{"a barrier used twice", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Barrier}, {Code: model.Store, C: 1}, {Code: model.Barrier}, {Code: model.Load}},
		{{Code: model.Barrier}, {Code: model.Store, C: 2}, {Code: model.Barrier}, {Code: model.Load}},
	}}},
	{"a mutex locked twice by its owner", model.Program{Recursive: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}},
		{{Code: model.Lock}, {Code: model.Lock}, {Code: model.Store, C: 1}, {Code: model.Unlock}, {Code: model.Load}, {Code: model.Unlock}},
		{{Code: model.Lock}, {Code: model.FetchAdd, C: 2}, {Code: model.Unlock}},
	}}},
	{"a mutex wiped while it is used", model.Program{Overlay: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}},
		{{Code: model.Lock}, {Code: model.Store, A: 8, C: 1}, {Code: model.Unlock}},
		{{Code: model.Store, A: 4, Size: 4, C: 1}, {Code: model.Load, Size: 2}},
	}}},
	{"a ping-pong of semaphores", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.SemWait}, {Code: model.Load}, {Code: model.SemPost, A: 1}, {Code: model.SemWait}, {Code: model.SemWait}},
		{{Code: model.SemWait, A: 1}, {Code: model.Store, C: 1}, {Code: model.SemPost}, {Code: model.SemWait, A: 1}, {Code: model.Store, C: 2}, {Code: model.SemPost}},
	}}},
}

func (f *finding) program() *model.Program {
	p := f.prog
	p.Bytes, p.Mutexes, p.Conds, p.Sems, p.RWLocks, p.Barriers, p.Budget = 16, 2, 1, []int{2, 1}, 1, []int{2}, 12
	return &p
}

func TestFindings(t *testing.T) {
	for _, f := range append(findings, byHand...) {
		t.Run(f.name, func(t *testing.T) {
			p := f.program()
			judge, err := exhaust(p, 1<<40)
			if err != nil {
				t.Fatal(err)
			}
			if judge.stats.Executions < 2 {
				t.Errorf("%d executions: nothing to search", judge.stats.Executions)
			}
			within := boundings
			if p.Coarse || p.Merge {
				within = coarsely
			}
			if err := checkBoundings(within, p, judge, Options{OneEvent: !p.Coarse, Unmerged: !p.Merge}); err != nil {
				t.Error(err)
			}
			if !p.Coarse && !p.Merge {
				if err := checkTrust(p, judge, true); err != nil {
					t.Error(err)
				}
			}
			for _, name := range reductions {
				for _, oneEvent := range []bool{false, true} {
					if oneEvent && p.Coarse {
						continue
					}
					if err := disagree(name, p, judge, Options{OneEvent: oneEvent, Unmerged: !p.Merge}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

// TestFinding1 shows what dpor.go and eager.go deviate from their paper for:
// sleep sets added to a figure as it says lose executions.
func TestFinding1(t *testing.T) {
	p := findings[0].program()
	judge, err := exhaust(p, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	for _, search := range []string{"dpor", "dpor:figure=3", "dpor:figure=4"} {
		if disagree(search, p, judge, Options{OneEvent: true, Unmerged: true, fault: paperSleep}) == nil {
			t.Errorf("%s: sleep sets as in the paper lose nothing: it needn't deviate", search)
		}
	}
}
