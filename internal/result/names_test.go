package result

import "testing"

// TestNames: labels stand for path names in landgo's own texts, where a number is a
// thread's name, and nowhere else.
func TestNames(t *testing.T) {
	b := &Bug{Kind: "lock-misuse", ThreadStarts: []ThreadStart{
		{Thread: "0.2", Function: "lambda at src/q.cpp:14"}, {Thread: "0", Function: "main"}, {Thread: "0.1", Function: "pool::worker<int>(pool*)"},
		{Thread: "0.10", Function: "a_very_long_name_for_a_function"}, {Thread: "0.1.1", Function: "std::thread::run"},
		{Thread: "0.11", Function: "program::main::{{closure}}::{{closure}}"}, {Thread: "0.12", Function: "program::worker::{closure#1}"}}}
	LabelByPath(b.ThreadStarts)
	n := b.Names()
	for path, want := range map[string]string{"0": "T0 main", "0.1": "T1 pool::worker", "0.1.1": "T2", "0.2": "T3 lambda q.cpp:14", "0.10": "T4 a_very_long_name_for_...", "0.11": "T5 main::{{closure}}", "0.12": "T6 worker::{closure#1}", "0.7": "0.7", "0.1b": "T1's stores", "0.1b0.1.1b": "T1's buffer for T2"} {
		if got := n.Of(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	for text, want := range map[string]string{
		"thread 0.1 changes x (a.c:3) between thread 0's read and its write": "T1 pool::worker changes x (a.c:3) between T0 main's read and its write",
		"threads 0, 0.1 and 0.1.1 wait":                                      "T0 main, T1 pool::worker and T2 wait",
		"waits for mutex m, which 0 holds":                                   "waits for mutex m, which T0 main holds",
		"creates 0.1":                                                        "creates T1 pool::worker",
		"x (0) and 0, line 0; version 0.1.2; 0.10x; a0.1; q.cpp:0.1":         "x (0) and 0, line 0; version 0.1.2; 0.10x; a0.1; q.cpp:0.1",
		"thread 0.7 ends":                                                    "thread 0.7 ends",
		"0.1 writes":                                                         "T1 pool::worker writes",
	} {
		if got := n.In(text); got != want {
			t.Errorf("%q\nis  %q\nnot %q", text, got, want)
		}
	}
	b.Message = "m is unlocked by thread 0.1, but thread 0 holds it"
	if got := b.Says(); got != "m is unlocked by T1 pool::worker, but T0 main holds it" {
		t.Error(got)
	}
	b.Kind, b.Message = "assertion", "assertion failed: thread 0.1 == 0.1"
	if got := b.Says(); got != b.Message {
		t.Errorf("the guest's own words: %s", got)
	}
}
