package explore

import (
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// usersKernel compiles guests/kernel/users, with a mistake or without; it skips the test
// where gcc or the engine can't.
func usersKernel(t testing.TB, program string) string {
	t.Helper()
	part.Row(t)
	path, said, err := compile.Made("../../guests/kernel", program, "MACHINE=i386")
	if err != nil && strings.Contains(said, "No rule to make") {
		t.Skip("this gcc doesn't make programs for i386")
	}
	if err != nil || said != "" {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

func usersConfig(t testing.TB, program, test, pp string) config.Config {
	t.Helper()
	text, err := os.ReadFile("../../guests/kernel/users/users.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := kernelConfig(usersKernel(t, program), test, pp)
	c.Profile = &config.Profile{Path: "users.yaml", Text: string(text)}
	s, err := session.Open(c, nil)
	if err != nil && strings.Contains(err.Error(), "2.1") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	return c
}

// TestUserPrograms: a kernel with user programs, its clock the local APIC's, ends where
// its threads wait for input. Mistakes of the kernel and of its programs are found,
// also where a program and the kernel use one page at two addresses.
func TestUserPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program, test, pp string
		executions        uint64
		preemptions       int
		kind              trace.BugKind
		text              string
	}{
		{"users", "lock", "yield", 2, 0, "", ""},
		{"users", "lock", "lock,unlock", 17, 0, "", ""},
		{"users", "lock", "cli,sti", 259, 0, "", ""},
		{"users", "add", "cli,sti", 47, 0, "", ""},
		{"users", "both", "cli,sti", 34, 0, "", ""},
		{"users", "race", "mem", 0, 1, "assertion", "shared == PROCESSES"},
		{"users", "both", "mem", 0, 1, "assertion", "shared == PROCESSES"},
		{"users-wait_lost", "add", "cli", 0, 1, "deadlock", "waits for being woken on processes"},
		{"users-add_open", "add", "mem", 0, 1, "assertion", "shared == PROCESSES"},
		{"users-lock_open", "lock", "mem", 0, 2, "assertion", "shared == PROCESSES"},
	} {
		t.Run(c.program+" "+c.test+" "+c.pp, func(t *testing.T) {
			cfg := usersConfig(t, c.program, c.test, c.pp)
			cfg.SelfCheck = c.executions < 1000
			r, err := Run(context.Background(), cfg, nil)
			switch {
			case err != nil:
				t.Fatal(err)
			case c.kind == "":
				if r.Verdict != result.Verified || r.Executions != c.executions {
					t.Errorf("%s (%s) after %d executions, want verified after %d", r.Verdict, r.Reason, r.Executions, c.executions)
				}
				return
			case len(r.Bugs) != 1 || r.Bugs[0].Kind != c.kind || !strings.Contains(r.Bugs[0].Message, c.text) || r.Bugs[0].Preemptions != c.preemptions:
				t.Fatalf("%s (%s) with %+v, want one %s with %d preemptions: %s", r.Verdict, r.Reason, r.Bugs, c.kind, c.preemptions, c.text)
			}
			again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bugs[0].Schedule}, nil)
			if err != nil || again.Bug == nil || again.Bug.Message != r.Bugs[0].Message {
				t.Errorf("the replay ended in %+v, %v", again, err)
			}
		})
	}
}

// TestUserPoints: a point at one instruction of a user program is one, and shows the mistake there.
func TestUserPoints(t *testing.T) {
	t.Parallel()
	cfg := usersConfig(t, "users", "race", "mem")
	r, err := Run(context.Background(), cfg, nil)
	if err != nil || len(r.Bugs) != 1 {
		t.Fatalf("at mem: %v, %+v", err, r)
	}
	found := 0
	for _, place := range regexp.MustCompile(`\((0x[0-9a-f]+)\)`).FindAllStringSubmatch(r.Bugs[0].Cause, -1) {
		cfg.PP, cfg.Races, _ = trace.ParsePoints("race=" + place[1])
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatalf("at %s: %v", place[1], err)
		}
		if len(r.Bugs) == 0 {
			continue
		}
		again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bugs[0].Schedule}, nil)
		if found++; err != nil || again.Bug == nil || again.Bug.Message != r.Bugs[0].Message {
			t.Errorf("the replay of %s ended in %+v, %v", place[1], again, err)
		}
	}
	if found == 0 {
		t.Errorf("no instruction of the program shows the mistake: %s", r.Bugs[0].Cause)
	}
}

// TestUserProgramsAgree: the reductions reach the same ends as no reduction does, with
// steps in user mode.
func TestUserProgramsAgree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, test, pp string }{
		{"users", "lock", "lock,unlock"},
		{"users", "both", "cli,sti"},
		{"users", "race", "mem"},
		{"users-wait_lost", "add", "cli"},
	} {
		t.Run(c.program+" "+c.test+" "+c.pp, func(t *testing.T) {
			t.Parallel()
			cfg := usersConfig(t, c.program, c.test, c.pp)
			guest := openKernel(t, cfg)
			guest.explored(t, "optimal", nil)
			searches := kernelSearches
			if c.pp == "mem" {
				searches = nil // no reduction: too many for a test
			}
			var want *kernelEnds
			if len(searches) > 0 {
				want = guest.explored(t, "none", nil)
			}
			for _, search := range searches {
				got := guest.explored(t, search, nil)
				if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
					t.Errorf("%s: %d executions end in %v, want %v (%d executions)", search, got.executions, got.states, want.states, want.executions)
				}
				if os.Getenv("LANDGO_COUNTS") != "" {
					t.Logf("%s: %d executions of %d, %d ends", search, got.executions, want.executions, len(want.states))
				}
			}
			bounds := por.Bounds{{Measure: por.Preempt, Limit: 1}}
			want = guest.explored(t, "none", bounds)
			for _, search := range kernelBounded {
				got := guest.explored(t, search, bounds)
				if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
					t.Errorf("%s, preempt=1: %d executions end in %v, want %v (%d executions)", search, got.executions, got.states, want.states, want.executions)
				}
			}
		})
	}
}
