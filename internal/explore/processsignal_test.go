package explore

import (
	"context"
	"slices"
	"testing"

	"landgo/internal/compile"
)

// TestProcessSignals: a program that sends a signal to the process is told which thread
// takes it, for that is assumed; one that sends to a thread isn't.
func TestProcessSignals(t *testing.T) {
	t.Parallel()
	for send, assumed := range map[string]bool{"kill(getpid(), SIGUSR1)": true, "pthread_kill(t, SIGUSR1)": false} {
		c := onProgram(compile.Text(t, "gcc", `
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile int n;
static void handler(int s) { n++; }
static void *user(void *a) { n++; return a; }
int main(void) { signal(SIGUSR1, handler); pthread_t t; pthread_create(&t, 0, user, 0); `+send+`; pthread_join(t, 0); }`))
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		const text = "the first thread that doesn't block it takes a signal to the process"
		if got := slices.Contains(r.Certificate.Assumptions, text); got != assumed {
			t.Errorf("%s: the certificate assumes %q", send, r.Certificate.Assumptions)
		}
	}
}
