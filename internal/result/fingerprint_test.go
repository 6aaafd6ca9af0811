package result

import (
	"testing"
)

func at(functions ...string) (stack []Frame) {
	for i, f := range functions {
		stack = append(stack, Frame{Function: f, File: "lib.c", Line: 10 + i, Address: Addr(0x401000 + i)})
	}
	return stack
}

// inTest is a frame of a file that isn't the student's.
func inTest(stack []Frame, function string) []Frame {
	return append(stack, Frame{Function: function, File: "test.c", Line: 3, Address: 0x402000})
}

var student = func(f Frame) bool { return f.File == "lib.c" }

// lost is a bug of two accesses that collide.
func lost(variable, first, second string, change func(*Bug)) *Bug {
	b := &Bug{Kind: "assertion", Message: "assertion failed: x == 2", Thread: "0.1", Stack: inTest(nil, "main"), Accesses: []Access{
		{Thread: "0.1", Op: "reads", Address: 0x4c5000, Symbol: variable, Stack: at(first)},
		{Thread: "0.2", Op: "writes", Address: 0x4c5000, Symbol: variable, Stack: at(second)},
	}}
	if change != nil {
		change(b)
	}
	return b
}

// TestSameMistake: what differs between tests, students, threads and builds isn't in a
// fingerprint.
func TestSameMistake(t *testing.T) {
	want := lost("count", "add", "add", nil).FingerprintOf(student)
	for name, change := range map[string]func(*Bug){
		"another test":      func(b *Bug) { b.Message, b.Stack = "assertion failed: sum == 4", inTest(nil, "test_sum") },
		"other threads":     func(b *Bug) { b.Thread, b.Accesses[0].Thread, b.Accesses[1].Thread = "0.3", "0.3.1", "0" },
		"other addresses":   func(b *Bug) { b.Accesses[0].Address, b.Accesses[0].Stack[0].Address = 1, 2 },
		"other lines":       func(b *Bug) { b.Accesses[0].Stack[0].Line = 99 },
		"another order":     func(b *Bug) { b.Accesses[0], b.Accesses[1] = b.Accesses[1], b.Accesses[0] },
		"one instruction":   func(b *Bug) { b.Accesses[0].Op, b.Accesses[1].Op = "updates", "updates" },
		"a third access":    func(b *Bug) { b.Accesses = append(b.Accesses, b.Accesses[0]) },
		"a compiler's copy": func(b *Bug) { b.Accesses[0].Stack = at("add.constprop.0") },
		"inlined":           func(b *Bug) { b.Accesses[0].Stack = inTest(at("add"), "caller") },
		"a library's frame": func(b *Bug) { b.Accesses[0].Stack = append([]Frame{{Function: "memcpy"}}, b.Accesses[0].Stack...) },
		"a header's frame": func(b *Bug) {
			b.Accesses[0].Stack = append([]Frame{{Function: "get", File: "lib.c", Library: true}}, at("add")...)
		},
		"the test's look": func(b *Bug) { b.Accesses = append(b.Accesses, Access{Symbol: "other", Stack: inTest(nil, "main")}) },
		"another element": func(b *Bug) { b.Accesses[1].Symbol = "count+8" },
	} {
		own := student
		if name == "a header's frame" {
			own = func(f Frame) bool { return student(f) && !f.Library }
		}
		if got := lost("count", "add", "add", change).FingerprintOf(own); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestOtherObject: the same code with another object is the same mistake.
func TestOtherObject(t *testing.T) {
	a, b := lost("a.balance", "deposit", "deposit", nil), lost("accounts[2].balance+4", "deposit", "deposit", nil)
	if x, y := a.FingerprintOf(student), b.FingerprintOf(student); x != y {
		t.Errorf("%s and %s", x, y)
	}
	if x, y := a.FingerprintOf(student), lost("a.name", "deposit", "deposit", nil).FingerprintOf(student); x == y {
		t.Errorf("two members are %s", x)
	}
}

// TestWithoutCause: where nothing is known but how it fails, the message tells mistakes
// apart, without its numbers; a thread that is in a library is known by its start.
func TestWithoutCause(t *testing.T) {
	name := func(message, function string, stack ...Frame) string {
		b := &Bug{Kind: "lock-misuse", Message: message, Thread: "0.2", Stack: stack, ThreadStarts: []ThreadStart{{Thread: "0.2", Function: function}}}
		return b.FingerprintOf(student)
	}
	want := name("thread 0.2 ends while it holds b", "worker", Frame{Function: "start_thread"})
	if got := name("thread 0.3.1 ends while it holds b", "worker", Frame{Function: "start"}); got != want {
		t.Errorf("another libc and thread: %s, want %s", got, want)
	}
	for _, other := range []string{name("thread 0.2 ends while it holds c", "worker"), name("thread 0.2 ends while it holds b", "reader")} {
		if other == want {
			t.Errorf("another mistake is %s", want)
		}
	}
}

// TestDifferentMistakes: no two of these have the same fingerprint.
func TestDifferentMistakes(t *testing.T) {
	wait := func(kind, object string, f ...string) Wait { return Wait{For: kind, Object: object, Stack: at(f...)} }
	bugs := []*Bug{
		lost("count", "add", "add", nil),
		lost("total", "add", "add", nil),
		lost("count", "add", "remove", nil),
		lost("count", "add", "add", func(b *Bug) { b.Kind = "data-race" }),
		lost("count1", "add", "add", nil),
		{Kind: "deadlock", Waits: []Wait{wait("mutex", "a", "back"), wait("mutex", "b", "forth")}},
		{Kind: "deadlock", Waits: []Wait{wait("mutex", "a", "back"), wait("mutex", "c", "forth")}},
		{Kind: "deadlock", Waits: []Wait{wait("condition variable", "a", "back")}},
		{Kind: "livelock", Loops: []Loop{{Lines: at("spin"), Waits: []Access{{Symbol: "flag", Stack: at("spin")}}}}},
		{Kind: "livelock", Loops: []Loop{{Lines: at("spin")}}},
		{Kind: "use-after-free", Stack: at("use"), Block: &Block{Freed: &Origin{Stack: at("dispose")}}},
		{Kind: "use-after-free", Stack: at("use"), Block: &Block{Freed: &Origin{Stack: at("clear")}}},
		{Kind: "segfault", Stack: at("use")},
		{Kind: "segfault", Stack: []Frame{{Address: 0x401000}}},
	}
	seen := map[string]int{}
	for i, b := range bugs {
		f := b.FingerprintOf(student)
		if j, ok := seen[f]; ok {
			t.Errorf("%v and %v are both %s", bugs[j].Mistakes(student), b.Mistakes(student), f)
		}
		seen[f] = i
	}
}

// TestVariableNames: numbers of elements, blocks and threads aren't in a variable's name.
func TestVariableNames(t *testing.T) {
	for symbol, want := range map[string]string{
		"x": "x", "": "memory", "0x4c5000": "memory", "table+8": "table", "table[3].lock": ".lock", "table[3]": "table[]", "a.in.lock": ".lock", "x2": "x2",
		"block 12 of main": "block # of main", "stack of 0.1": "stack of #", "a[0][1]": "a[][]", "big[": "big[",
	} {
		if got := variableName(symbol); got != want {
			t.Errorf("%q is %q, want %q", symbol, got, want)
		}
	}
}
