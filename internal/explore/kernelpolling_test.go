package explore

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/part"
	"landgo/internal/result"
)

// pollingConfig is for guests/kernel/polling, with a mistake or without, and a disk of two
// sectors. It skips the test where gcc or the engine can't.
func pollingConfig(t testing.TB, program, pp string, vars ...string) config.Config {
	t.Helper()
	part.Row(t)
	path, said, err := compile.Made("../../guests/kernel", program, append([]string{"MACHINE=i386"}, vars...)...)
	if err != nil && strings.Contains(said, "No rule to make") {
		t.Skip("this gcc doesn't make programs for i386")
	}
	if err != nil || said != "" {
		t.Fatalf("%v\n%s", err, said)
	}
	text, err := os.ReadFile("../../guests/kernel/polling/polling.yaml")
	if err != nil {
		t.Fatal(err)
	}
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(disk, append([]byte{7}, make([]byte, 1023)...), 0o600); err != nil {
		t.Fatal(err)
	}
	c := kernelConfig(path, "", pp)
	c.Cmdline = ""
	c.Profile = &config.Profile{Path: "polling.yaml", Text: string(text)}
	if err := config.OptionNamed("disk").Apply(&c, "1:"+disk); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPolling: a kernel without a multiboot header mends a page fault while it boots, and
// has a disk. The search varies when ticks ask its threads to give way, and when the disk's
// interrupt comes. The mistakes that only such an order shows are found.
func TestPolling(t *testing.T) {
	t.Parallel()
	part.Row(t)
	for _, c := range []struct {
		program, pp string
		verdict     result.Verdict
		text        string
	}{
		{"polling", "yield", result.Verified, ""},
		{"polling", "lock,unlock", result.Verified, ""},
		{"polling-add_open", "yield", result.Buggy, "an addition is lost"},
		{"polling-wait_late", "cli,sti", result.Buggy, "no tick of the timer wakes it"},
		{"polling-unmended", "yield", result.Invalid, "page fault at address 0x100"},
	} {
		t.Run(c.program+" "+c.pp, func(t *testing.T) {
			t.Parallel()
			cfg := pollingConfig(t, c.program, c.pp)
			cfg.SelfCheck = c.verdict != result.Verified
			r, err := Run(context.Background(), cfg, nil)
			if err != nil && strings.Contains(err.Error(), "2.1") {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.verdict || c.verdict == result.Invalid && !strings.Contains(r.Reason, c.text) {
				t.Fatalf("%s (%s), want %s: %s", r.Verdict, r.Reason, c.verdict, c.text)
			}
			if c.verdict == result.Verified && r.Executions < 10 {
				t.Errorf("%d executions: the orders of interrupts weren't tried", r.Executions)
			}
			if c.verdict != result.Buggy {
				return
			}
			if len(r.Bugs) != 1 || !strings.Contains(r.Bugs[0].Message, c.text) {
				t.Fatalf("bugs %+v, want one: %s", r.Bugs, c.text)
			}
			again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bugs[0].Schedule}, nil)
			if err != nil || again.Bug == nil || again.Bug.Message != r.Bugs[0].Message {
				t.Errorf("the replay ended in %+v, %v", again, err)
			}
		})
	}
}

// TestPollingAgrees: the reduction reaches the same ends as no reduction does, with
// outcomes by what interrupts.
func TestPollingAgrees(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"polling", "polling-add_open"} {
		cfg := pollingConfig(t, program, "yield")
		guest := openKernel(t, cfg)
		guest.explored(t, "optimal", nil)
		want := guest.explored(t, "none", nil)
		for _, search := range []string{"optimal", "source", "dpor"} {
			got := guest.explored(t, search, nil)
			if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
				t.Errorf("%s, %s: %d executions end in %v, want %v (%d executions)", program, search, got.executions, got.states, want.states, want.executions)
			}
		}
	}
}

// TestPollingLoaded: a kernel without a multiboot header is loaded at the physical
// addresses of its file, or by a profile's loader below its own. The result says what is
// missing, and doesn't blame the machine that the file is for. The kernel may begin by segments
// that take the distance off.
func TestPollingLoaded(t *testing.T) {
	t.Parallel()
	ends := func(c config.Config) *result.Result {
		t.Helper()
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	c := pollingConfig(t, "polling", "yield")
	with := ends(c)
	c.Profile.Text = strings.Replace(c.Profile.Text, "    above: 0xc0000000\n", "", 1)
	if _, err := Run(context.Background(), c, nil); err == nil || !strings.Contains(err.Error(), "loader.above") {
		t.Errorf("without above: %v", err)
	}
	low := pollingConfig(t, "polling", "yield", "LOW=0xc0000000")
	low.Profile.Text = c.Profile.Text
	if r := ends(low); r.Verdict != result.Verified || r.Executions != with.Executions {
		t.Errorf("with physical addresses: %s (%s), %d executions, want %d", r.Verdict, r.Reason, r.Executions, with.Executions)
	}
	shared := pollingConfig(t, "polling", "yield", "LOW=0xc0000000", "SHARE=16")
	shared.Profile.Text = c.Profile.Text
	if r := ends(shared); r.Verdict != result.Verified || r.Executions != with.Executions {
		t.Errorf("with a page of text and data: %s (%s), %d executions, want %d", r.Verdict, r.Reason, r.Executions, with.Executions)
	}
	// A kernel that begins by segments runs where landgo's page tables do what they do.
	segments := pollingConfig(t, "polling", "yield", "SEGMENTS=1")
	if r := ends(segments); r.Verdict != result.Invalid || !strings.Contains(r.Reason, "segment begins at 0x40000000") {
		t.Errorf("with segments and without tables: %s (%s)", r.Verdict, r.Reason)
	}
	segments.Profile.Text += "    tables: 0x10000\n    stack: 0x7c00\n"
	if r := ends(segments); r.Verdict != result.Verified || r.Executions != with.Executions {
		t.Errorf("with segments and tables: %s (%s), %d executions, want %d", r.Verdict, r.Reason, r.Executions, with.Executions)
	}
	low.Profile = nil
	if r := ends(low); r.Verdict != result.Invalid || !strings.Contains(r.Reason, "doesn't describe its threads") {
		t.Errorf("without a profile: %s (%s)", r.Verdict, r.Reason)
	}
}
