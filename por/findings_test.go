package por

import (
	"testing"

	"landgo/por/internal/model"
)

// What the differential test found, by number, and what it was. Each program
// goes through every search.
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
}

func (f *finding) program() *model.Program {
	p := f.prog
	p.Bytes, p.Mutexes, p.Conds, p.Sems, p.RWLocks, p.Barriers, p.Budget = 16, 2, 1, []int{2, 1}, 1, []int{2}, 12
	return &p
}

func TestFindings(t *testing.T) {
	for i := range findings {
		t.Run(findings[i].name, func(t *testing.T) {
			p := findings[i].program()
			judge, err := explore("none", p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range reductions {
				if err := disagree(name, p, judge, Options{OneEvent: !p.Coarse}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestFinding1 shows what dpor.go deviates from its paper for.
func TestFinding1(t *testing.T) {
	p := findings[0].program()
	judge, err := explore("none", p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if disagree("dpor", p, judge, Options{OneEvent: true, fault: paperSleep}) == nil {
		t.Error("sleep sets as in the paper lose nothing: dpor.go needn't deviate")
	}
}
