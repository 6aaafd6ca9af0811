package e2e

import (
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestTrustThreads: with --trust threads landgo carries out thr_create and the
// other functions itself. A program sees their described behaviour, at every
// granularity and by every search, whatever the library's own code does. A
// library that looks past them can't be run so.
func TestTrustThreads(t *testing.T) {
	machines := []string{"-m64"}
	if makes32(t) {
		machines = append(machines, "-m32")
	}
	for _, machine := range machines {
		guest := pebblesProgram(t, machine, "testdata/carried.c")
		for program, want := range map[string]string{
			"status": "", "self": "", "first": "", "quiet_last": "", "joiners": "", "unborn": "", "handler": "", "stores": "",

			"joiners mine":  "assertion failed: mine",
			"joiners yours": "assertion failed: yours",
			"unborn never":  "assertion failed: got < 0",
			"unborn always": "assertion failed: got == 0",
			"last":          "the guest exits with status 3",
			"handler none":  "illegal instruction",
			"cycle":         "threads wait for each other in a cycle",
			"overflow":      "the thread's stack is used up",
			"ended":         "on the stack of thread 0.1, which has ended",

			"looks":     "invalid: the guest reads table",
			"above":     "invalid: the guest uses the room above the stack of thread 0.1",
			"vanishes":  "invalid: thr_join waits for thread 0.1, which ended by vanish and not by thr_exit",
			"pages":     "invalid: new_pages asks for pages",
			"allocator": "invalid: the guest reads table",
			"nowhere":   "invalid: thr_join is to put a status at 0x8000",
		} {
			t.Run(machine+" "+program, func(t *testing.T) {
				t.Parallel()
				searches := []string{"optimal"}
				if machine == "-m64" && (strings.HasPrefix(program, "joiners") || strings.HasPrefix(program, "unborn")) {
					searches = []string{"optimal", "none", "stateful", "trust"}
				}
				for _, search := range searches {
					args := []string{"run", "--json", "--quiet", "--out", "none", "--pp", "mem", "--self-check", "--search", search, "--trust", "threads", guest, "--"}
					checkCarried(t, search, run(t, append(args, strings.Fields(program)...)...).decode(t), want)
				}
			})
		}
		r := run(t, "run", "--json", "--quiet", "--out", "none", "--trust", "malloc,threads", guest, "--", "status").decode(t)
		checkCarried(t, "malloc too", r, "invalid: the allocator, which is trusted, uses table")
	}
}

func checkCarried(t *testing.T, options string, r *result.Result, want string) {
	t.Helper()
	got := ""
	switch r.Verdict {
	case result.Buggy:
		got = r.Bug.Message
	case result.Verified:
	default:
		got = string(r.Verdict) + ": " + r.Reason
	}
	if want == "" && got != "" || want != "" && !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q", options, got, want)
	}
}
