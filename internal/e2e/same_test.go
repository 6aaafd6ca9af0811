package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"landgo/internal/compile"
)

// times matches what may differ between two identical runs: durations and
// rates.
var times = regexp.MustCompile(`"[a-z_]*seconds[a-z_]*": *[0-9.e+-]+|[0-9][0-9.,]* ?(ns|µs|ms|s|min|h)\b|[0-9][0-9.,]*/s`)

func withoutTimes(s string) string { return times.ReplaceAllString(s, "TIME") }

// TestSame: identical runs give identical output, byte for byte, but for times.
func TestSame(t *testing.T) {
	bug, good := guest(t, "lost.c", "-DN=3"), guest(t, "lost.c", "-DLOCK", "-DN=3")
	for _, args := range [][]string{
		{"run", "--json", bug},
		{"run", bug},
		{"run", "--json", "--keep-going", bug},
		{"run", "--json", good},
		{"run", good},
		{"run", "--search", "none", "--pp", "yield,lock", "--json", good},
		{"run", "--search", "trust", "--pp", "mem", "--json", compile.Guest(t, "musl-O1/fib_bench-N5-BAD")}, // its bug is some laps away
		{"inspect", bug},
	} {
		t.Run(strings.Join(args[:len(args)-1], " "), func(t *testing.T) {
			var first ending
			for i, procs := range []string{"1", "4"} {
				cmd := command(t, args...)
				cmd.Env = append(os.Environ(), "GOMAXPROCS="+procs)
				e := finish(t, cmd)
				if i == 0 {
					first = e
					continue
				}
				if e.status != first.status || withoutTimes(e.stdout) != withoutTimes(first.stdout) {
					t.Errorf("run %d differs: exit %d and %d\n%.3000s\n---\n%.3000s", i+1, first.status, e.status, first.stdout, e.stdout)
				}
			}
			if first.stdout == "" {
				t.Errorf("no output at all (exit %d): %s", first.status, first.stderr)
			}
		})
	}
}
