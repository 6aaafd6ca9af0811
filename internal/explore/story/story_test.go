package story

import (
	"os"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
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
