package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/scheduler/steer"
)

// bootedFrom opens a kernel and says how many instructions its boot took; 0: it was
// kept.
func bootedFrom(t *testing.T, c config.Config) (insns uint64, notes []string) {
	t.Helper()
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Guest.Blender.(*steer.Kernel).BootInstructions(), s.Notes
}

// outcome is the part of a result that may not depend on a kept boot.
func outcome(r *result.Result) string {
	text := fmt.Sprint(r.Verdict, r.Reason, r.Executions, r.Transitions, r.Instructions, r.Threads, r.RaceCount, r.Unexamined)
	if b := r.Bug; b != nil {
		text += fmt.Sprint(b.Kind, b.Message, b.Schedule, b.Preemptions)
	}
	return text
}

// TestKeptBoot: a run that begins where a boot was kept gives what one gives that
// boots. It is tried with right kernels and wrong ones, described by annotations
// and by a profile, on both machines.
func TestKeptBoot(t *testing.T) {
	t.Parallel()
	if inAnother(t) {
		return
	}
	silent := silentProfile(t, false)
	i386 := silentKernel(t, "i386", "kernel", "")
	for _, k := range []struct {
		name, guest, test, pp string
		profile               *config.Profile
	}{
		{"right", kernelBuilt(t, "kernel"), "lock", "cli,sti", nil},
		{"freed", kernelBuilt(t, "kernel-exit_early"), "leave", "cli", nil},
		{"silent", silentKernel(t, "x86-64", "kernel-exit_early", ""), "leave", "cli", silent},
		{"i386", i386, "semaphore", "cli,sti", silent},
	} {
		t.Run(k.name, func(t *testing.T) {
			if k.guest == "" {
				t.Skip("gcc -m32 doesn't work here")
			}
			t.Parallel()
			c := kernelConfig(k.guest, k.test+" memtest=1", k.pp)
			c.Profile = k.profile
			var want string
			for i, dir := range []string{config.SnapshotOff, filepath.Join(t.TempDir(), "a", "b"), "", ""} {
				if dir != "" {
					c.Snapshot = dir
				}
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := outcome(r); i == 0 {
					want = got
				} else if got != want || len(r.Notes) > 0 {
					t.Errorf("run %d: %s %v, want %s", i, got, r.Notes, want)
				}
			}
			if n, _ := bootedFrom(t, c); n != 0 {
				t.Errorf("the kernel was booted once more, for %d instructions", n)
			}
		})
	}
}

// TestKeptBootFits: a boot is used for the same kernel, command line, profile and
// configuration only.
func TestKeptBootFits(t *testing.T) {
	t.Parallel()
	if inAnother(t) {
		return
	}
	c := kernelConfig(kernelBuilt(t, "kernel"), "lock memtest=1", "cli")
	c.Snapshot = t.TempDir()
	if n, _ := bootedFrom(t, c); n == 0 {
		t.Fatal("a boot was kept that hadn't been")
	}
	if n, _ := bootedFrom(t, c); n != 0 {
		t.Fatal("the boot wasn't kept")
	}
	for name, change := range map[string]func(*config.Config){
		"command line": func(c *config.Config) { c.Cmdline = "test=lock  memtest=1" },
		"profile":      func(c *config.Config) { c.Profile = &config.Profile{Path: "p.yaml", Text: "functions: {panic: panic}"} },
		"image":        func(c *config.Config) { c.Guest = kernelBuilt(t, "kernel-join_race") },
		"limit":        func(c *config.Config) { c.MaxOutput = 1 << 16 },
		"machine":      func(c *config.Config) { c.NoHeap, c.AllShared = true, true },
		"off":          func(c *config.Config) { c.Snapshot = config.SnapshotOff },
	} {
		other := c
		change(&other)
		if n, _ := bootedFrom(t, other); n == 0 {
			t.Errorf("%s: another's boot was used", name)
		}
	}
	short := c
	short.Cmdline, short.Snapshot = "test=lock", t.TempDir()
	bootedFrom(t, short)
	if files, _ := filepath.Glob(short.Snapshot + "/*"); len(files) != 0 {
		t.Errorf("a short boot was kept: %v", files)
	}
}

// kept is the one file that runs with a configuration have kept, and its content.
func kept(t *testing.T, c config.Config) (path string, content []byte) {
	t.Helper()
	files, _ := filepath.Glob(c.Snapshot + "/*")
	if len(files) != 1 {
		t.Fatalf("kept: %v", files)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return files[0], content
}

// TestKeptBootDamaged: one line tells that a file is damaged, the kernel is
// booted, and its boot is kept once more.
func TestKeptBootDamaged(t *testing.T) {
	t.Parallel()
	if inAnother(t) {
		return
	}
	c := kernelConfig(kernelBuilt(t, "kernel"), "lock memtest=1", "cli")
	c.Snapshot = t.TempDir()
	bootedFrom(t, c)
	file, good := kept(t, c)
	flipped := func(at int) []byte {
		b := append([]byte(nil), good...)
		b[at] ^= 4
		return b
	}
	for name, text := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)/2], "head": good[:20], "magic": flipped(0), "key": flipped(len(saved.BootMagic)),
		"sum": flipped(len(saved.BootMagic) + 33), "first": flipped(len(saved.BootMagic) + 36), "middle": flipped(len(good) / 2), "last": flipped(len(good) - 1),
		"longer": append(append([]byte(nil), good...), 0), "noise": []byte(strings.Repeat("landgo", 1000)),
	} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != result.Verified || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "is damaged") || strings.ContainsRune(r.Notes[0], '\n') {
			t.Errorf("%s: %s (%s), notes %q", name, r.Verdict, r.Reason, r.Notes)
		}
		if n, notes := bootedFrom(t, c); n != 0 || len(notes) > 0 {
			t.Errorf("%s: the boot wasn't kept again: %v", name, notes)
		}
	}
	if left, _ := filepath.Glob(c.Snapshot + "/*"); len(left) != 1 {
		t.Errorf("files are left behind: %v", left)
	}
}
