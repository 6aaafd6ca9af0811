package ticks

import (
	"fmt"
	"slices"
	"testing"

	"landgo/guests"
)

// mistakes are the models of guests/kernel/variant.h.
var mistakes = map[string]Mistakes{
	"":                 {},
	"wakeup_lost":      {WakeupLost: true},
	"join_race":        {JoinRace: true},
	"exit_early":       {ExitEarly: true},
	"restore_nested":   {RestoreNested: true},
	"release_off":      {ReleaseOff: true},
	"donation_missed":  {DonationMissed: true},
	"donation_dropped": {DonationDropped: true},
	"buffer_if":        {BufferIf: true},
	"sleep_unguarded":  {SleepUnguarded: true},
	"down_late":        {WakeupLost: true}, // of course
}

// unmodelled are tests of what isn't in sections, of the clock's ticks, and of the
// screen.
var unmodelled = []string{"race", "await", "nap", "doze", "oversleep", "letters", "scroll", "copy", "work", "politeness"}

// TestTable: guests/kernel/expect.json says what the model says: nothing fails in
// the kernel without a mistake, and a mistake in the ways and with the least
// preemptions that are listed.
func TestTable(t *testing.T) {
	all, err := guests.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	modelled := 0
	for _, k := range all {
		m, ok := mistakes[k.Variant]
		if !ok || slices.Contains(unmodelled, k.Test) {
			if k.Judge != "by hand" && k.Verdict == guests.Bug {
				t.Errorf("%s has no model, and its numbers come from %q", k.Name, k.Judge)
			}
			continue
		}
		modelled++
		c, err := Count(k.Test, m)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		t.Logf("%-28s %5d orders, within %v, failures %v", k.Name, c.Orders, c.Within, c.Least)
		if k.Variant != "" && k.Judge != "enumerated" {
			t.Errorf("%s has a model, and its numbers come from %q", k.Name, k.Judge)
		}
		if len(c.Least) != len(k.Failures) {
			t.Errorf("%s fails in the ways %v, the table has %v", k.Name, c.Least, k.Failures)
		}
		for _, f := range k.Failures {
			says := f.Hint
			if says == "" {
				says = f.Kind
			}
			if least, ok := c.Least[says]; !ok || least != f.Preemptions {
				t.Errorf("%s: %s with %d preemptions in the table; the model fails in the ways %v", k.Name, says, f.Preemptions, c.Least)
			}
		}
	}
	if modelled < 20 {
		t.Errorf("%d rows have a model", modelled)
	}
}

// TestOrders: the counts of the smallest tests can be done by hand.
func TestOrders(t *testing.T) {
	// Main creates (C), joins (J) and goes on (R); the thread begins and exits (B, E). C J B E R
	// costs nothing, C B E J one preemption, C B J E R two. The yield at the end finds no thread.
	got, err := Count("leave", Mistakes{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 3}; !slices.Equal(got.Within, want) {
		t.Errorf("leave: %v, by hand %v", got.Within, want)
	}
}

// TestMerging: the orders, made one by one with up to as many ticks at each point
// as bring all threads of the test past, are as many as are counted.
func TestMerging(t *testing.T) {
	for _, name := range []string{"create", "join", "yield", "lock", "semaphore", "sleep", "donate", "donate_two"} {
		orders, been := map[string]bool{}, map[string]bool{}
		var from func(s *state, order string, ticks int)
		from = func(s *state, order string, ticks int) {
			if s.bad != "" || s.off {
				orders[order+s.bad] = true
				return
			}
			here := order + s.key() + fmt.Sprint(ticks)
			if been[here] {
				return
			}
			been[here] = true
			th := s.threads[s.current]
			if th.phase == before && ticks < 4 {
				after := s.clone()
				after.tick()
				after.local()
				from(after, order, ticks+1)
			}
			next := s.clone()
			next.stretch()
			next.local()
			from(next, order+fmt.Sprintf("%d.%d.%d ", s.current, th.at, th.phase), 0)
		}
		first := start(New(name, Mistakes{}), Mistakes{})
		first.local()
		from(first, "", 0)
		c, err := Count(name, Mistakes{})
		if err != nil {
			t.Fatal(err)
		}
		if len(orders) != c.Orders {
			t.Errorf("%s: %d orders one by one, counted %d", name, len(orders), c.Orders)
		}
	}
}
