package por

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

// paths lists executions by their threads.
type paths struct {
	tally
	all []string
}

func (p *paths) Ended(e *Execution) bool {
	path := ""
	for _, s := range e.walk.pathSteps(nil) {
		path += fmt.Sprint(s.Thread + 1)
	}
	p.all = append(p.all, path)
	return true
}

func pathsOf(t *testing.T, search string, p *model.Program) ([]string, Stats) {
	t.Helper()
	s, err := New(search, Options{OneEvent: true, Unmerged: true})
	if err != nil {
		t.Fatal(err)
	}
	var seen paths
	st, err := s.Run(model.New(p), &seen)
	if err != nil {
		t.Fatal(err)
	}
	return seen.all, st
}

var figures = []string{"dpor:sleep=0", "dpor:figure=3,sleep=0", "dpor:figure=4,sleep=0", "dpor:figure=3,sleep=0,mark=1", "classic"}

// TestFigure2 is Flanagan and Godefroid's Figure 2, the state space of the indexer with
// two threads and one message each. The steps are cas(table[84], 0, 12) and
// cas(table[91], 0, 13), and threads block at their exit. It has four states, four
// transitions and two paths. DPOR follows one, with backtrack sets of one thread.
func TestFigure2(t *testing.T) {
	cas := func(at, message int64) []model.Instr {
		return []model.Instr{{Code: model.Set, R: 2, C: message}, {Code: model.CompareXR, R: 1, A: int(4 * at), D: 2, Size: 4}}
	}
	p := &model.Program{Bytes: 512, Standing: true, Threads: [][]model.Instr{cas(12*7%128, 12), cas(13*7%128, 13)}}
	if all, _ := pathsOf(t, "none", p); !slices.Equal(all, []string{"12", "21"}) {
		t.Errorf("paths %v", all)
	}
	if _, st := pathsOf(t, "stateful:sleep=0", p); st.Transitions != 4 {
		t.Errorf("%d transitions, the figure has 4", st.Transitions)
	}
	for _, search := range figures {
		if all, st := pathsOf(t, search, p); !slices.Equal(all, []string{"12"}) || st.Transitions != 2 {
			t.Errorf("%s: %v, %d transitions", search, all, st.Transitions)
		}
		if sets := backtrackSets(t, search, p); !slices.EqualFunc(sets, [][]trace.TID{{0}, {1}}, slices.Equal) {
			t.Errorf("%s: backtrack sets %v", search, sets)
		}
	}
}

// TestSection3 is the example after their Figure 3: p1 writes x twice, p2 writes y and
// then x. The first execution's backtrack point is at the last dependent transition
// only. So the next execution has p2 before p1's last write, and a later one before its
// first. These are the three traces. With sleep sets there is no other execution.
func TestSection3(t *testing.T) {
	p := &model.Program{Bytes: 16, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Store, C: 1}, {Code: model.Store, C: 2}},
		{{Code: model.Store, A: 8, C: 1}, {Code: model.Store, C: 3}},
	}}
	three := []string{"1122", "1221", "2211"}
	if all, st := pathsOf(t, "dpor", p); !slices.Equal(all, three) {
		t.Errorf("with sleep sets: %v, %+v", all, st)
	}
	for _, search := range figures {
		all, _ := pathsOf(t, search, p)
		if all = slices.DeleteFunc(all, func(p string) bool { return p != "1122" && p != "1221" && p != "2211" }); !slices.Equal(all, three) {
			t.Errorf("%s: %v", search, all)
		}
		if sets := backtrackSets(t, search, p); !slices.EqualFunc(sets, [][]trace.TID{{0}, {0, 1}, {1}, {1}}, slices.Equal) {
			t.Errorf("%s: backtrack sets %v of the first execution", search, sets)
		}
	}
}

// backtrackSets are those of the states of the first execution, when it has ended.
func backtrackSets(t *testing.T, search string, p *model.Program) (sets [][]trace.TID) {
	t.Helper()
	spec, err := ParseSpec(search)
	if err != nil {
		t.Fatal(err)
	}
	seen := &tally{stop: func(*Execution) bool { return true }}
	x := newExplorer(model.New(p), seen, spec, Options{OneEvent: true, Unmerged: true})
	if err := x.run(); err != nil {
		t.Fatal(err)
	}
	for i := range x.depth() {
		set := []trace.TID{x.nodes[i].cur.Thread}
		for b := x.nodes[i].todo; b != nil; b = b.next {
			set = append(set, b.Thread)
		}
		sets = append(sets, set)
	}
	return sets
}
