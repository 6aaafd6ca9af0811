package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/result"
)

// startConfig is of a program of C++ whose dynamic linker takes millions of instructions.
func startConfig(t *testing.T, variant string) config.Config {
	c := config.Default()
	c.Guest = compile.Text(t, "g++", exceptions, compile.Dynamic, "-D"+variant)
	c.Out, c.Jobs, c.MaxExecutions, c.Snapshot = config.NoFile, 1, 300, t.TempDir()
	return c
}

// played reports whether a guest's start was played: then its dynamic linker didn't run.
func played(t *testing.T, c config.Config) bool {
	t.Helper()
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Guest.Step(0, 0); err != nil && !strings.Contains(err.Error(), "finer") {
		t.Fatal(err)
	}
	entry := s.Image.Interpreter().Entry
	return !s.Plain.Machine().Ran(entry, entry+1)
}

// TestKeptStart: a run that begins with a kept start, and one that notes it, give what one
// gives that runs it each time.
func TestKeptStart(t *testing.T) {
	t.Parallel()
	if inAnother(t) {
		return
	}
	for _, deepens := range []bool{true, false} {
		c := startConfig(t, "FIXED")
		c.Deepen = deepens
		dir, want := c.Snapshot, ""
		for i, snapshot := range []string{"uncounted", config.SnapshotOff, dir, dir} {
			c.Snapshot, c.Coverage = snapshot, i == 0 // with coverage nothing is noted or played
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := outcome(r) + fmt.Sprint(r.Certificate.Calls); i == 0 {
				want = got
			} else if got != want || len(r.Notes) > 0 {
				t.Errorf("run %d: %s %v, want %s", i, got, r.Notes, want)
			}
		}
		if files, _ := filepath.Glob(dir + "/*.start"); len(files) != 1 {
			t.Errorf("kept: %v", files)
		}
		if !played(t, c) {
			t.Error("the start was run once more")
		}
	}
}

// TestKeptShortStart: the start of a small program in C is kept, too, if a dynamic linker has a part
// in it.
func TestKeptShortStart(t *testing.T) {
	t.Parallel()
	if inAnother(t) {
		return
	}
	for flag, want := range map[string]int{compile.Dynamic: 1, "-O1": 0} {
		c := config.Default()
		c.Guest = compile.Text(t, "gcc", `
#include <pthread.h>
static int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return x != 2; }`, "-pthread", flag)
		c.Out, c.Jobs, c.Snapshot = config.NoFile, 1, t.TempDir()
		first, again := runOf(t, c), runOf(t, c)
		if outcome(first) != outcome(again) || first.Verdict != result.Verified {
			t.Errorf("%s: %s, then %s", flag, outcome(first), outcome(again))
		}
		if files, _ := filepath.Glob(c.Snapshot + "/*.start"); len(files) != want {
			t.Errorf("%s: kept: %v", flag, files)
		}
	}
}

// TestKeptStartFits: a start is used for the same program, libraries, arguments and
// configuration only.
func TestKeptStartFits(t *testing.T) {
	t.Parallel()
	if inAnother(t) {
		return
	}
	c := startConfig(t, "FIXED")
	if played(t, c) {
		t.Fatal("a start was kept that hadn't been")
	}
	if !played(t, c) {
		t.Fatal("the start wasn't kept")
	}
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other := t.TempDir()
	for _, p := range s.Image.Parts[1:] {
		if strings.HasPrefix(filepath.Base(p.Path), "libstdc++") {
			if err := os.WriteFile(filepath.Join(other, filepath.Base(p.Path)), append(p.Data, 0), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, change := range map[string]func(*config.Config){
		"library":   func(c *config.Config) { c.LibraryPath = []string{other} },
		"arguments": func(c *config.Config) { c.Args = []string{"x"} },
		"variable":  func(c *config.Config) { c.Env = []string{"A=b"} },
		"input":     func(c *config.Config) { c.Input = []byte("x") },
		"budget":    func(c *config.Config) { c.StepBudget /= 2 },
		"image":     func(c *config.Config) { c.Guest = startConfig(t, "OTHER").Guest },
		"limit":     func(c *config.Config) { c.MaxOutput = 1 << 16 },
		"malloc":    func(c *config.Config) { c.Malloc = config.MallocNative },
		"locks":     func(c *config.Config) { c.LocksTested = []string{config.AllLocks} },
		"coverage":  func(c *config.Config) { c.Coverage = true },
		"off":       func(c *config.Config) { c.Snapshot = config.SnapshotOff },
	} {
		other := c
		change(&other)
		if played(t, other) {
			t.Errorf("%s: another's start was used", name)
		}
	}
}

// TestKeptStartDamaged: a damaged file costs a line, and a start that isn't the program's
// is left for a run of its own.
func TestKeptStartDamaged(t *testing.T) {
	t.Parallel()
	if inAnother(t) {
		return
	}
	c := startConfig(t, "FIXED")
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := outcome(r)
	file, good := kept(t, c)
	key := [32]byte(good[len(saved.StartMagic):])
	start, err := saved.ReadStart(file, key)
	if err != nil {
		t.Fatal(err)
	}
	last := len(start.Legs) - 1
	for name, damage := range map[string]func() bool{ // whether the file is whole
		"cut":   func() bool { return os.WriteFile(file, good[:len(good)/2], 0o600) != nil },
		"empty": func() bool { start.Legs = nil; return true },
		"short": func() bool { start.Legs = start.Legs[:last/2]; return true },
		"a leg": func() bool { start.Legs[last/2].As.Skip = !start.Legs[last/2].As.Skip; return true },
		"stop":  func() bool { start.Legs[last].PC++; return true },
		"place": func() bool { start.Legs[last].Runs[0] = 1 << 60; return true },
		"words": func() bool { start.Legs[last].Words = nil; return true },
	} {
		if start, err = saved.ReadStart(file, key); err != nil {
			t.Fatal(err)
		}
		whole := damage()
		if whole {
			if err := saved.WriteStart(file, key, start); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if outcome(r) != want {
			t.Errorf("%s: %s, want %s", name, outcome(r), want)
		}
		if said := len(r.Notes) == 1 && strings.Contains(r.Notes[0], "the kept start") && strings.Contains(r.Notes[0], "is damaged"); said == whole {
			t.Errorf("%s: notes %v", name, r.Notes)
		}
		if !whole && !played(t, c) {
			t.Errorf("%s: the start wasn't kept once more", name)
		}
		if err := os.WriteFile(file, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r.Verdict != result.Verified {
		t.Error(r.Verdict, r.Reason)
	}
}
