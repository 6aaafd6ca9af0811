package static

import (
	"testing"
)

func TestForever(t *testing.T) {
	for _, opt := range []string{"-O0", "-O1"} {
		info := open(t, "gcc", "forever.c", "-static -g -fno-inline "+opt)
		at := func(label string) uint64 {
			s, ok := info.Symbol(label)
			if !ok {
				t.Fatalf("no label %s", label)
			}
			return s.Addr
		}
		for label, want := range map[string]bool{
			"in_plain": true, "in_calls": true, "in_condition": false, "in_within": false, "in_pointer": false, "in_ends": false, "in_leaves": false,
		} {
			if got := Forever(info, []uint64{at("sched_yield"), at(label)}); got != want {
				t.Errorf("%s, %s: %v", opt, label, got)
			}
		}
		// A function that returns goes on where it was called.
		if !Forever(info, []uint64{at("in_callee"), at("in_calls")}) || Forever(info, []uint64{at("in_callee"), at("in_condition")}) {
			t.Errorf("%s: from a function that the loop calls", opt)
		}
		if Forever(info, []uint64{at("sched_yield")}) || Forever(info, nil) {
			t.Errorf("%s: without code of the program's own", opt)
		}
	}
}
