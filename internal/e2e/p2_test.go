package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// pebblesProgram builds a program for pebbles with gcc alone.
func pebblesProgram(t *testing.T, machine, source string, flags ...string) string {
	t.Helper()
	runtime := filepath.Join(top, "guests/pebbles/runtime")
	files, err := filepath.Glob(filepath.Join(runtime, "*.[cS]"))
	if err != nil || len(files) == 0 {
		t.Fatal("no runtime", err)
	}
	out := filepath.Join(t.TempDir(), "guest")
	args := append(strings.Fields("-g -O1 -ffreestanding -fno-pic -fno-stack-protector -fcf-protection=none -mgeneral-regs-only "+
		"-nostdlib -static -no-pie -Wl,-Ttext-segment=0x1000000 -Wl,-e,_main -Wl,-z,noexecstack -I"+runtime+" "+machine), "-o", out, source)
	args = append(append(args, flags...), files...)
	if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, text)
	}
	return out
}

// TestP2Signs: landgo understands the signs of the course's programs: a panic's
// message, a report of failure, output to the simulator. A thread's status
// isn't a failure of the task's.
func TestP2Signs(t *testing.T) {
	part.Row(t)
	machines := []string{"-m64"}
	if makes32(t) {
		machines = append(machines, "-m32")
	}
	for _, machine := range machines {
		for sign, message := range map[string]string{
			"PANIC":   "panic: file.c:17: -1 of fe, z%",
			"REPORT":  "the test reports failure",
			"SUCCESS": "",
			"STATUS":  "",
			"EXIT":    "the guest exits with status 3",
		} {
			t.Run(machine+" "+sign, func(t *testing.T) {
				guest := pebblesProgram(t, machine, "testdata/p2.c", "-D"+sign)
				r := run(t, "run", "--json", "--quiet", "--out", "none", guest).decode(t)
				if message == "" {
					if r.Verdict != result.Verified {
						t.Errorf("%s: %+v", r.Verdict, r.Bug)
					}
					return
				}
				if r.Bug == nil || r.Bug.Kind != trace.Assertion || r.Bug.Message != message {
					t.Fatalf("%s: %+v, want %q", r.Verdict, r.Bug, message)
				}
				if !strings.Contains(r.Bug.Output, "to the simulator\nto the console\n") {
					t.Errorf("its output: %q", r.Bug.Output)
				}
			})
		}
	}
}

// TestLife: after all its visible events a thread may still live when another
// thread asks for it, or be gone. Its end is a step of its own for them.
func TestLife(t *testing.T) {
	abi := filepath.Join(top, "guests/pebbles/abi")
	for _, question := range []string{"LIVES", "GONE", "TWICE", "SLEEPS"} {
		guest := pebblesProgram(t, "-m64", "testdata/life.c", "-D"+question, "-I"+abi, filepath.Join(abi, "fork_call.S"))
		for _, options := range []string{"", "--pp mem", "--pp mem --search none", "--pp mem --search stateful", "--pp sync"} {
			if options == "--pp sync" && question != "SLEEPS" {
				continue // the others look at a variable first, before which there is no point
			}
			args := append([]string{"run", "--json", "--out", "none"}, strings.Fields(options)...)
			if r := run(t, append(args, guest)...).decode(t); r.Bug == nil || r.Bug.Kind != trace.Assertion || r.Bug.Preemptions > 2 {
				t.Errorf("%s %s: %s (%s) after %d executions, %+v", question, options, r.Verdict, r.Reason, r.Executions, r.Bug)
			}
		}
	}
}

// TestLongTurn: a lock that tries a thousand times before it yields ends with a
// verdict: a turn of its loop is as exact a spin as a short one.
func TestLongTurn(t *testing.T) {
	abi := filepath.Join(top, "guests/pebbles/abi")
	for _, optimise := range []string{"-O0", "-O2"} {
		for mistake, kind := range map[string]trace.BugKind{"NONE": "", "SILENT": trace.Livelock, "PLAIN": trace.Livelock} {
			guest := pebblesProgram(t, "-m64", "testdata/spin_yield.c", optimise, "-D"+mistake, "-I"+abi, filepath.Join(abi, "fork_call.S"))
			searches := []string{"optimal"}
			if kind == "" {
				searches = append(searches, "stateful") // knows of no turns
			}
			for _, search := range inTurn(int(optimise[2]-'0')/2, searches...) {
				r := run(t, "run", "--json", "--pp", "mem", "--out", "none", "--search", search, guest).decode(t)
				var got trace.BugKind
				if r.Bug != nil {
					got = r.Bug.Kind
				}
				if got != kind || kind == "" && r.Verdict != result.Verified {
					t.Errorf("%s %s with %s: %s %s (%s) after %d executions", optimise, mistake, search, r.Verdict, got, r.Reason, r.Executions)
				}
			}
		}
	}
}

// TestTrust: with a group trusted, mistakes in the rest of a library are found on
// top of it, as with none; those in the group itself are gone. A library that
// goes past the functions of the group can't be run so.
func TestTrust(t *testing.T) {
	builds := []string{"pebbles"}
	if makes32(t) {
		builds = append(builds, "pebbles-i386")
	}
	for _, c := range []struct {
		guest, trust string
		verdict      result.Verdict
		kind         string // of the bug
		least        int    // its preemptions
	}{
		{"queue-mutex", "mutex", result.Verified, "", 0},
		{"queue-sections", "mutex", result.Verified, "", 0},
		{"queue-cond", "mutex", result.Verified, "", 0},
		{"queue-cond", "cond", result.Verified, "", 0},
		{"queue-signal", "cond", result.Verified, "", 0},
		{"queue-broadcast", "cond,mutex", result.Verified, "", 0},
		{"queue-sem", "sem", result.Verified, "", 0},
		{"queue-rwlock", "rwlock", result.Verified, "", 0},
		{"queue-downgrade", "rwlock", result.Verified, "", 0},
		{"queue-malloc", "malloc", result.Verified, "", 0},
		{"queue-malloc", "malloc,mutex", result.Verified, "", 0},
		{"queue-malloc", "mutex", result.Verified, "", 0},

		{"queue-cond_unlocks_first-cond", "mutex", result.Buggy, "deadlock", 1},
		{"queue-park_once-signal", "mutex", result.Buggy, "assertion", 2},
		{"queue-sem_twice-sem", "mutex,cond,rwlock,malloc", result.Buggy, "assertion", 2},
		{"queue-join_looks_first-join", "mutex,cond,sem,rwlock,malloc", result.Buggy, "deadlock", 1},
		{"queue-unlock_twice-sections", "sem", result.Buggy, "assertion", 2},
		{"queue-unlock_twice-sections", "mutex", result.Verified, "", 0},
		{"queue-unlock_silent-mutex", "mutex", result.Verified, "", 0},
		{"queue-cond_unlocks_first-cond", "cond", result.Verified, "", 0},
		{"queue-sem_twice-sem", "sem", result.Verified, "", 0},

		{"queue-join", "threads", result.Verified, "", 0},
		{"queue-join_late", "threads", result.Verified, "", 0},
		{"queue-rwlock", "threads", result.Verified, "", 0},
		{"spin-signal", "threads", result.Verified, "", 0},
		{"queue-malloc", "threads,mutex", result.Verified, "", 0},
		{"queue-exit_recycles_early-reuse", "threads", result.Verified, "", 0},
		{"spin-join_lost_wakeup-join", "threads", result.Verified, "", 0},
		{"queue-sem_twice-sem", "threads", result.Buggy, "assertion", 2},
		{"spin-mutex_plain-mutex", "threads", result.Buggy, "assertion", 2},

		{"spin-mutex", "mutex", result.Invalid, "", 0},
		{"spin-cond", "cond", result.Invalid, "", 0},
		{"spin-mutex", "sem,rwlock", result.Verified, "", 0},
	} {
		for _, build := range builds {
			t.Run(build+" "+c.guest+" "+c.trust, func(t *testing.T) {
				t.Parallel()
				path := compile.Guest(t, build, c.guest)
				r := run(t, "run", "--json", "--quiet", "--out", "none", "--pp", "mem", "--self-check", "--trust", c.trust, path).decode(t)
				if r.Verdict != c.verdict {
					t.Fatalf("%s (%s) %+v, want %s", r.Verdict, r.Reason, r.Bug, c.verdict)
				}
				if c.verdict == result.Invalid {
					if r.Problem != result.GoneAround || len(r.Place) == 0 {
						t.Errorf("invalid for another reason: %s at %v", r.Reason, r.Place)
					}
					return
				}
				if c.verdict == result.Buggy && (string(r.Bug.Kind) != c.kind || r.Bug.Preemptions != c.least) {
					t.Errorf("%s with %d preemptions, want %s with %d", r.Bug.Kind, r.Bug.Preemptions, c.kind, c.least)
				}
				for _, group := range strings.Split(c.trust, ",") {
					if !strings.Contains(r.Certificate.Trusted, group) {
						t.Errorf("the certificate has %q of %s", r.Certificate.Trusted, group)
					}
				}
			})
		}
	}
}

// TestTrustIsAnAbstraction: what a library that is right does on top of trusted
// objects, a search without reduction finds too, and as many different ends.
func TestTrustIsAnAbstraction(t *testing.T) {
	for _, guest := range []string{"queue-mutex", "queue-cond", "queue-rwlock", "queue-downgrade", "queue-sem"} {
		path := compile.Guest(t, "pebbles", guest)
		var verdicts []result.Verdict
		for _, search := range []string{"optimal", "dpor", "stateful"} {
			r := run(t, "run", "--json", "--quiet", "--out", "none", "--pp", "mem", "--search", search, "--trust", "cond,sem,rwlock", path).decode(t)
			verdicts = append(verdicts, r.Verdict)
		}
		if slices.ContainsFunc(verdicts, func(v result.Verdict) bool { return v != result.Verified }) {
			t.Errorf("%s: %v", guest, verdicts)
		}
	}
}

// TestTrustNeedsSizes: a group is trusted only where it is known how large its
// objects are, by debug information or by a profile: all their bytes are watched.
func TestTrustNeedsSizes(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "sizes.yaml")
	if err := os.WriteFile(profile, []byte("sizes: {mutex: 4}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(top, "guests/pebbles/spin")
	sources, err := filepath.Glob(filepath.Join(library, "*.[cS]"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no library", err)
	}
	test := filepath.Join(top, "guests/pebbles/tests/cond.c")
	trust := []string{"run", "--json", "--out", "none", "--pp", "mem", "--trust", "mutex"}
	bare := pebblesProgram(t, "-m64", test, append([]string{"-g0", "-I" + library}, sources...)...)
	run(t, append(trust, bare)...).complains(t, result.Usage)
	some := slices.DeleteFunc(slices.Clone(sources), func(name string) bool {
		return slices.Contains([]string{"sem.c", "rwlock.c"}, filepath.Base(name))
	})
	fewer := pebblesProgram(t, "-m64", test, append([]string{"-g0", "-I" + library}, some...)...)
	if r := run(t, "run", "--json", "--out", "none", "--pp", "mem", "--trust", "sem,rwlock", "--max-executions", "1", fewer).decode(t); r.Executions != 1 {
		t.Errorf("groups that the guest hasn't got: %s (%s)", r.Verdict, r.Reason)
	}
	known := run(t, append(trust, pebblesProgram(t, "-m64", test, append([]string{"-I" + library}, sources...)...))...).decode(t)
	told := run(t, append(trust, "--profile", profile, bare)...).decode(t)
	if told.Verdict != known.Verdict || told.Problem != known.Problem || told.Executions != known.Executions {
		t.Errorf("with a size from the profile: %s (%s), %d executions; by debug information: %s (%s), %d", told.Verdict, told.Reason, told.Executions,
			known.Verdict, known.Reason, known.Executions)
	}
}

// TestTrustNeedsALibrary: on linux the flag is refused, and so is a group that
// doesn't exist.
func TestTrustNeedsALibrary(t *testing.T) {
	for _, args := range [][]string{
		{"--trust", "mutex", compile.Guest(t, "musl-O2/aba-fixed")},
		{"--trust", "mutexes", compile.Guest(t, "pebbles/queue-mutex")},
	} {
		if got := run(t, append([]string{"run", "--out", "none"}, args...)...); got.status != 2 || !strings.Contains(got.stderr, "trust") {
			t.Errorf("%v: status %d, %s", args, got.status, got.stderr)
		}
	}
}
