package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// callProgram has two threads that do what f and g say.
func callProgram(f, g string) string {
	return strings.NewReplacer("F;", f, "G;", g).Replace(`#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
static volatile char b[32] = "0";
static volatile int n;
static struct { char name[8]; volatile char done[8]; } s __attribute__((aligned(64))) = {"abc"};
static void *f(void *a) { F; return a; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	G;
	pthread_join(t, 0);
	return 0;
}
`)
}

// TestCallRace: whichever of its instructions touch a byte, a trusted call is one
// party to a race, with the line of the call. The library's data about its streams
// is in order by the library's own means.
func TestCallRace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ f, g, want string }{
		{"b[0] = 1;", "puts((char *)b);", "b[0]"},
		{"b[0] = 1;", `sprintf((char *)b, "%d", 3);`, "b[0]"},
		{`sprintf((char *)b, "%d", 4);`, `sprintf((char *)b, "%d", 3);`, "b[0]"},
		{"getchar();", "getchar(); (void)*(FILE *volatile *)&stdin;", ""},
		{`wprintf(L"x");`, "putwchar(L'x');", ""},
		{"flockfile(stdout); putc_unlocked('a', stdout); putc_unlocked('\\n', stdout); funlockfile(stdout);", `puts("b");`, ""},
		// A string function that reads vectors looks past what isn't of the string.
		{"s.done[0] = 1;", "puts(s.name);", ""},
		{"s.done[0] = 1;", "n = strlen(s.name) + strcmp(s.name, (char *)b) + (memchr(s.name, 'b', 8) != 0) + (strchr(s.name + n, 'c') != 0);", ""},
		{"*(volatile char *)&s.name[3] = 'x';", "n = strlen(s.name);", "s.name[3]"},
		{"*(volatile char *)&s.name[0] = 'x';", "n = strlen(s.name + n);", "s.name[0]"},
		{"flockfile(stdin); getc_unlocked(stdin); funlockfile(stdin);", "getchar();", ""},
		{"flockfile(stdout); funlockfile(stdout);", "flockfile(stdout); funlockfile(stdout);", ""},
	} {
		for _, libc := range []string{"gcc", "musl-gcc"} {
			got, r := raceBugs(t, racing(t, compile.Text(t, libc, callProgram(c.f, c.g))))
			if strings.Join(got, " ") != c.want || c.want == "" && r.Verdict != result.Verified {
				t.Errorf("%s, %s against %s: races on %v, want %q (%s)", libc, c.f, c.g, got, c.want, r.Verdict)
			}
			for _, b := range r.Bugs {
				if strings.Contains(c.g, "strlen") {
					continue // ordinary code
				}
				if !strings.Contains(b.Message, "f (") || !strings.Contains(b.Message, "main (") {
					t.Errorf("%s: %q doesn't say where", libc, b.Message)
				}
			}
		}
	}
}

// TestCallPoint: a trusted call that races becomes a preemption point, and then
// nothing of it is unexamined.
func TestCallPoint(t *testing.T) {
	t.Parallel()
	const twice = "b[0] = '1'; b[0] = '0';"
	for _, libc := range []string{"gcc", "musl-gcc"} {
		cfg := config.Default()
		cfg.Guest, cfg.Out = compile.Text(t, libc, callProgram(twice, `sscanf((char *)b, "%d", (int *)&n); if (n == 1) abort();`)), config.NoFile
		if err := config.OptionNamed("pp").Apply(&cfg, "race"); err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), cfg, nil)
		if err != nil || r.Verdict != result.Buggy || r.Bug.Kind != trace.Assertion {
			t.Errorf("%s: %v, %s", libc, err, r.Verdict)
		}
		cfg.Guest = compile.Text(t, libc, callProgram(twice, `sscanf((char *)b, "%d", (int *)&n);`))
		r, err = Run(context.Background(), cfg, nil)
		if err != nil || r.Verdict != result.Verified || r.Unexamined != 0 || len(r.Races) != 2 || r.Races[0].Class != "benign" {
			t.Errorf("%s: %v, %s, %d unexamined, %+v", libc, err, r.Verdict, r.Unexamined, r.Races)
		}
		executions := r.Executions
		if err := config.OptionNamed("pp").Apply(&cfg, r.PP); err != nil {
			t.Fatal(err)
		}
		if r, err = Run(context.Background(), cfg, nil); err != nil || r.Verdict != result.Verified || r.Executions < 3 || r.Executions >= executions {
			t.Errorf("%s, --pp %s: %v, %d executions", libc, cfg.PointList(), err, r.Executions)
		}
	}
}
