package result

import (
	"testing"

	"landgo/internal/trace"
)

// race is a bug in a program whose addresses, lines and threads are told by one number.
func lostUpdate(n int, function, variable string) *Bug {
	access := func(op string) Access {
		return Access{Thread: "0." + string(rune('1'+n)), Op: op, Address: Addr(0x400000 + n), Symbol: variable, Stack: []Frame{
			{Function: "memcpy", Address: Addr(0x400000 + n)},
			{Function: function, File: "own.c", Line: 10 + n},
		}}
	}
	return &Bug{Kind: trace.Assertion, Message: "whatever", Preemptions: n, Accesses: []Access{access("reads"), access("writes")}}
}

func TestFingerprint(t *testing.T) {
	a := lostUpdate(0, "add", "x")
	for name, c := range map[string]struct {
		other *Bug
		same  bool
	}{
		"other addresses, lines, threads": {lostUpdate(5, "add", "x"), true},
		"another function":                {lostUpdate(0, "sub", "x"), false},
		"another variable":                {lostUpdate(0, "add", "y"), false},
		"another kind":                    {&Bug{Kind: trace.Race, Accesses: a.Accesses}, false},
		"the accesses the other way":      {&Bug{Kind: a.Kind, Accesses: []Access{a.Accesses[1], a.Accesses[0]}}, true},
	} {
		if (c.other.Fingerprint() == a.Fingerprint()) != c.same {
			t.Errorf("%s: same is %v, want %v", name, !c.same, c.same)
		}
	}
	if lostUpdate(0, "add", "block 2 + 8 (allocated at q.c:14)").Fingerprint() != lostUpdate(1, "add", "block 3 + 16 (allocated at q.c:20)").Fingerprint() {
		t.Error("two blocks from one place differ")
	}
	wait := func(thread, object string) Wait {
		return Wait{Thread: thread, For: "mutex", Object: object, Stack: []Frame{{Function: "both", File: "own.c", Line: 3}}}
	}
	two := &Bug{Kind: trace.Deadlock, Waits: []Wait{wait("0.1", "a"), wait("0.2", "b")}}
	swapped := &Bug{Kind: trace.Deadlock, Waits: []Wait{{Thread: "0", For: "thread", Object: "0.1"}, wait("0.1", "b"), wait("0.2", "a")}}
	if two.Fingerprint() != swapped.Fingerprint() {
		t.Error("a deadlock's threads count")
	}
}
