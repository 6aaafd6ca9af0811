package page

import (
	"slices"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestShort: the picture's names are without their owners, unless two would be the same;
// the data has them whole.
func TestShort(t *testing.T) {
	read := func(symbol string) result.Access {
		return result.Access{Thread: "0.1", Op: "reads", Symbol: symbol, Old: "1", Stack: frame(3)}
	}
	r := lost()
	r.Account[1].Accesses = []result.Access{read("main::cache.n of thread 0"), read("node.next (allocated at a.c:7)"), read("work::i of thread 0.1"), read("work::i of thread 0.2"), read("f::kept")}
	r.Account[1].Accesses[0].Old = "&main::cache.list of thread 0"
	s := tell(r, r.Bug)
	var got []string
	for i, row := range s.rows {
		if row.Thread == 1 && strings.HasPrefix(row.Text, "reads") {
			got = append(got, s.says(i))
		}
	}
	want := []string{"reads cache.n = &cache.list", "reads node.next = 1", "reads work::i of T1 add = 1", "reads work::i of T2 add = 1", "reads f::kept = 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if page := written(t, r); !strings.Contains(page, "main::cache.n of T0 main") {
		t.Error("the whole name isn't in the page")
	}
}

// TestTables: what is read of memory without a name that the run doesn't write to isn't
// shown, as that of a linker's tables; if it is written to, it is.
func TestTables(t *testing.T) {
	for _, writes := range []bool{false, true} {
		r := lost()
		r.Bug.ThreadStarts[1].Defined = &result.Frame{File: "a.c", Line: 1}
		r.Account[2].Accesses = append([]result.Access{{Thread: "0.2", Op: "reads", Address: 0x9000, Old: "5", Stack: frame(3)}}, r.Account[2].Accesses...)
		if writes {
			r.Account[1].Accesses = append(r.Account[1].Accesses, result.Access{Thread: "0.1", Op: "writes", Address: 0x9000, New: "5", Stack: frame(3)})
		}
		s := tell(r, r.Bug)
		if shown := slices.ContainsFunc(s.rows, func(r Row) bool { return r.Text == "reads 0x9000 = 5" }); shown != writes {
			t.Errorf("it is written to: %v, shown: %v", writes, shown)
		}
	}
}

// TestPlace: the user first sees his own code, and not a switch in assembler code. The
// row is in a turn, and a debugger knows that by its number.
func TestPlace(t *testing.T) {
	r := lost()
	r.Bug.Stack = []result.Frame{{Function: "switch", File: "s.S", Line: 3}, {Function: "wait", File: "sync.c", Line: 9}}
	r.Account[0].Accesses = []result.Access{{Thread: "0", Op: "reads", Symbol: "x", Old: "0", Stack: frame(3)}}
	r.Account = append(r.Account, r.Account[4])
	s := tell(r, r.Bug)
	last := s.rows[len(s.rows)-1]
	if last.File != "sync.c" || last.Line != 9 {
		t.Errorf("%s:%d", last.File, last.Line)
	}
	if last.Turn != 5 || s.rows[0].Turn != 1 || last.Step != 6 {
		t.Errorf("turns %d to %d, step %d: two steps of one thread are one turn", s.rows[0].Turn, last.Turn, last.Step)
	}
	if !strings.Contains(written(t, r), `landgo debug --at ${r.turn}`) {
		t.Error("the page doesn't say how to debug the turn")
	}
}
