package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// TestPage: a bug's page is made by run, replay and page, for each kind of guest, and has
// its threads, its cause and its source.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		guest string
		has   []string
	}{
		{"glibc-O1/lost_update", []string{"T1 add", "writes x = 1", "thread 0.1 runs add (linux/lost_update.c:18)", "assert(x == 2)", `class="race"`, `class="switch preempt"`, `class="hb"`}},
		{"musl-O2/deadlock_two", []string{"T2 back", "waits for mutex a, which T1 forth holds", "The threads wait for each other: T1 forth", "pthread_mutex_lock(second)"}},
		{"glibc-O1/double_free", []string{"allocated by T0 main", "freed by"}},
		{"pebbles/spin-cond_lost_wakeup-cond", []string{"T0 main", "T1 teller", `class="row cause`}},
	} {
		t.Run(c.guest, func(t *testing.T) {
			t.Parallel()
			guest := compile.Guest(t, c.guest)
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			sources := []string{"--quiet", "--source", filepath.Join(top, "guests")}
			run := command(t, append([]string{"run", "--out", in("b.landgo"), "--html", in("run.html"), guest}, sources...)...)
			if e := finish(t, run); e.status != result.ExitBug || e.stderr != "" || !strings.Contains(e.stdout, "\npage         "+in("run.html")+"\n") {
				t.Fatalf("run: status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
			replay := command(t, append([]string{"replay", "--html", in("replay.html"), in("b.landgo"), guest}, sources...)...)
			if e := finish(t, replay); e.status != result.ExitBug || e.stderr != "" {
				t.Fatalf("replay: status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
			page := command(t, append([]string{"page", in("b.landgo"), guest}, sources...)...)
			e := finish(t, page)
			if e.status != result.ExitBug || e.stdout != "b.html\n" || e.stderr != "" {
				t.Fatalf("page: status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
			for _, file := range []string{in("run.html"), in("replay.html"), filepath.Join(page.Dir, "b.html")} {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if len(text) > 300_000 {
					t.Errorf("%d bytes", len(text))
				}
				for _, want := range append(c.has, "b.landgo") { // its commands name the file
					if !strings.Contains(string(text), want) {
						t.Errorf("%s doesn't have %q", filepath.Base(file), want)
					}
				}
			}
		})
	}
	e := finish(t, command(t, "run", "--quiet", "--out", "none", "--html", "none/x.html", compile.Guest(t, "glibc-O1/lost_update")))
	if e.status != result.ExitBug || !strings.Contains(e.stderr, "can't write the page none/x.html") {
		t.Errorf("an unwritable page: status %d\n%s", e.status, e.stderr)
	}
}
