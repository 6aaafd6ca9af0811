package story

import (
	"os"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler/witness"
)

func TestMain(m *testing.M) { os.Exit(compile.Main(m)) }

// program has functions whose lines are the places of accesses.
const program = `int balance;
void takes(void) { balance--; }
void gives(void) { balance++; }
void counts(void) { balance = 0; }
int main(void) { takes(); gives(); counts(); }
`

// names answers for a guest: threads have their numbers for names, and memory is
// balance.
type names struct {
	session.Namer
	session.Roster
}

func (names) Name(t trace.TID) string         { return string('0' + rune(t)) }
func (names) Variable(uint64) (string, bool)  { return "balance", true }
func (names) VariableName(addr uint64) string { return map[uint64]string{8: "lock"}[addr] }

// seen answers what the executions of a search met.
type seen struct {
	session.Recorder
	record *witness.Record
}

func (s seen) Seen() *witness.Record { return s.record }

// reading is a session that has read the program, and isn't booted.
func reading(t *testing.T) *session.Session {
	t.Helper()
	c := config.Default()
	c.Guest = compile.Text(t, "musl-gcc", program)
	s, err := session.Read(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Guest = &session.Guest{Told: session.Told{Namer: names{}, Roster: names{}}}
	return s
}

// access is a beat of a thread's with one access in a function, under a lock or not.
func access(t *testing.T, s *session.Session, thread trace.TID, function string, flags trace.AccessFlags, preemption, locked bool) record.Beat {
	t.Helper()
	f, ok := s.Image.Symbol(function)
	if !ok {
		t.Fatalf("no function %s", function)
	}
	b := record.Beat{Step: por.PathStep{Thread: thread, Preemption: preemption}, Values: make([]record.Value, 1),
		Accesses: []trace.Access{{Addr: 64, Size: 4, PC: f.Addr, Flags: flags}}}
	if locked {
		b.Ops = []trace.Op{{Kind: trace.OpLock, Obj: 8, At: 0}, {Kind: trace.OpUnlock, Obj: 8, At: 1}}
	}
	return b
}

// TestAwaited: what a thread waits for at the end is in the cause, though another collision
// comes before it.
func TestAwaited(t *testing.T) {
	s := reading(t)
	at := func(b record.Beat, addr uint64) record.Beat {
		b.Accesses[0].Addr = addr
		return b
	}
	st := &Story{Session: s, Run: record.New(answers{s}, at(access(t, s, 1, "takes", 0, false, false), 64), at(access(t, s, 1, "counts", 0, false, false), 128),
		at(access(t, s, 2, "gives", trace.Write, true, false), 64), at(access(t, s, 2, "counts", trace.Write, false, false), 128))}
	for _, c := range []struct {
		waits result.Addr
		want  string
	}{
		{0, "thread 2 changes balance (guest.c:3) after thread 1's read (guest.c:2), and before that thread went on"},
		{128, "thread 2 changes balance (guest.c:4) after thread 1's read (guest.c:4), and before that thread went on"},
		{256, "thread 2 changes balance (guest.c:3) after thread 1's read (guest.c:2), and before that thread went on"},
	} {
		b := result.Bug{Waits: []result.Wait{{Thread: "1", Address: c.waits}}}
		if st.collisions(&b); b.Cause != c.want {
			t.Errorf("waits for %v: %q, want %q", c.waits, b.Cause, c.want)
		}
	}
}

// TestHeld: a step's locks are those that it ends with, and each operation has those after it.
func TestHeld(t *testing.T) {
	s := reading(t)
	b := access(t, s, 1, "takes", 0, false, true)
	b.Held = []string{"other"}
	st := &Story{Session: s, Run: record.New(answers{s}, b)}
	for n, want := range []int{1, 2, 1} {
		if got := st.HeldAfter(&b, n); len(got) != want || got[0] != "other" {
			t.Errorf("after %d operations: %q", n, got)
		}
	}
	if got := st.Held(at{Beat: 0, Access: 0}); len(got) != 2 {
		t.Errorf("at the access: %q", got)
	}
}

// TestCollision: the cause is another thread's write between two accesses of the one
// that was preempted, and not one under a lock that all of them hold.
func TestCollision(t *testing.T) {
	s := reading(t)
	begun := access(t, s, 1, "takes", 0, false, false)
	between := access(t, s, 2, "gives", trace.Write, true, false)
	again := access(t, s, 1, "counts", trace.Write, false, false)
	anew := access(t, s, 2, "gives", trace.Write, true, false)
	anew.Ops = []trace.Op{{Kind: trace.OpFree, Obj: 64, Size: 4}}
	looked := access(t, s, 2, "gives", 0, true, false)
	under := []record.Beat{access(t, s, 1, "counts", 0, false, true), access(t, s, 2, "gives", trace.Write, true, true), access(t, s, 1, "counts", trace.Write, false, true)}
	for _, c := range []struct {
		name  string
		beats []record.Beat
		want  string
	}{
		{"between two", []record.Beat{begun, between, again}, "thread 2 changes balance (guest.c:3) between thread 1's read (guest.c:2) and its write (guest.c:4)"},
		{"after one", []record.Beat{begun, between}, "thread 2 changes balance (guest.c:3) after thread 1's read (guest.c:2), and before that thread went on"},
		{"a write behind a read", []record.Beat{again, looked, between}, "thread 2 changes balance (guest.c:3) after thread 1's write (guest.c:4), and before that thread went on"},
		{"the memory's next life", []record.Beat{begun, anew, again}, "thread 2 changes balance (guest.c:3) before thread 1's write (guest.c:4)"},
		{"all under a lock", under, "thread 2 changes balance (guest.c:3) between thread 1's read (guest.c:4) and its write (guest.c:4)"},
		{"some under a lock", append(slices.Clone(under), begun, between, again), "thread 2 changes balance (guest.c:3) between thread 1's read (guest.c:2) and its write (guest.c:4)"},
	} {
		st := &Story{Session: s, Run: record.New(answers{s}, c.beats...)}
		var b result.Bug
		if st.collisions(&b); b.Cause != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.Cause, c.want)
		}
	}
}

// TestWarnings: what no execution met is warned of by its name, and a verdict that is
// no pass needs none.
func TestWarnings(t *testing.T) {
	s := reading(t)
	whole := witness.Met{Points: ^trace.Points(0), Ran: true, Shared: true, OnTime: true}
	for _, c := range []struct {
		name    string
		change  func(*witness.Met, *result.Result, *config.Config)
		want    []result.WarningCode
		verdict result.Verdict
	}{
		{"all", func(*witness.Met, *result.Result, *config.Config) {}, nil, result.Verified},
		{"one thread", func(_ *witness.Met, r *result.Result, _ *config.Config) { r.Threads = 1 }, []result.WarningCode{result.OneThread}, result.Verified},
		{"one thread, and a bug", func(_ *witness.Met, r *result.Result, _ *config.Config) { r.Threads = 1 }, nil, result.Buggy},
		{"idle", func(m *witness.Met, _ *result.Result, _ *config.Config) { m.Ran = false }, []result.WarningCode{result.IdleThreads}, result.Verified},
		{"nothing shared", func(m *witness.Met, _ *result.Result, _ *config.Config) { m.Shared = false }, []result.WarningCode{result.NothingShared}, result.Bounded},
		{"only timeouts", func(m *witness.Met, _ *result.Result, _ *config.Config) { m.Late, m.OnTime = true, false }, []result.WarningCode{result.OnlyTimeouts}, result.Verified},
		{"no lock", func(m *witness.Met, _ *result.Result, c *config.Config) {
			m.Points, c.PP, c.Deepen = trace.PointSync, trace.PointLock, false
		}, []result.WarningCode{result.NoPoint}, result.Verified},
		{"a rule", func(_ *witness.Met, _ *result.Result, c *config.Config) {
			c.Rules = []config.Rule{{Function: "takes"}}
		}, []result.WarningCode{result.NoRule}, result.Verified},
	} {
		own := *s
		met, r := whole, &result.Result{Verdict: c.verdict, Threads: 2, Search: "optimal"}
		c.change(&met, r, &own.Config)
		own.Guest = &session.Guest{Gatherer: session.Gatherer{Recorder: seen{record: &witness.Record{Met: met}}}}
		var got []result.WarningCode
		for _, w := range Warnings(&own, r) {
			got = append(got, w.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
