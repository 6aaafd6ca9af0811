package e2e

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"landgo/internal/compile"
)

// lentGuest has some ten thousand executions, and its search is divided.
const lentGuest = `#include <pthread.h>
#include <stdio.h>
static volatile int x, y, last;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
		last = (long)p;
		if (p)
			__atomic_exchange_n(&y, i, __ATOMIC_SEQ_CST);
	}
	return 0;
}
int main(void) {
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	printf("%d\n", last);
	return x != 6;
}
`

// TestRunServe: workers of other processes help with a search, one of them until it is
// killed, and the result is that of one process.
func TestRunServe(t *testing.T) {
	needsLandlock(t)
	args := []string{"run", "--pp", "mem", "--search", "source", "--jobs", "1", "--json", compile.Text(t, "gcc", lentGuest)}
	want := run(t, args...)
	if want.status != 0 {
		t.Fatalf("status %d: %s", want.status, want.stderr)
	}
	front := exec.Command(landgo, append([]string{"run", "--serve", "127.0.0.1:0"}, args[1:]...)...)
	front.Dir = t.TempDir()
	var out, rest bytes.Buffer
	front.Stdout = &out
	front.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, err := front.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := front.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	line, err := lines.ReadString('\n')
	_, call, ok := strings.Cut(line, "serving: landgo ")
	if !ok {
		t.Fatalf("%q, %v", line, err)
	}
	begin := time.Now()
	var workers []*exec.Cmd
	for range 2 {
		w := exec.Command(landgo, append(strings.Fields(call), "--jobs", "1", "--dead-after", "1s")...)
		w.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		w.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // one that is killed leaves its cache behind
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, w)
	}
	time.AfterFunc(1200*time.Millisecond, func() { workers[0].Process.Kill() })
	io.Copy(&rest, lines)
	if err := front.Wait(); err != nil || withoutSeconds(out.String()) != withoutSeconds(want.stdout) {
		t.Errorf("%v: %s\n%s", err, rest.String(), difference(withoutSeconds(want.stdout), withoutSeconds(out.String())))
	}
	if took := time.Since(begin); took > 2*time.Second && !strings.Contains(rest.String(), "parts of the search") {
		t.Errorf("in %v no worker has helped: %s", took, rest.String())
	}
	workers[1].Process.Signal(syscall.SIGTERM)
	if err := workers[1].Wait(); err != nil {
		t.Errorf("the worker: %v", err)
	}
	workers[0].Wait()
}

var inSeconds = regexp.MustCompile(`"[a-z_]*seconds[a-z_]*": ?[0-9.e+-]+`)

func withoutSeconds(s string) string { return inSeconds.ReplaceAllString(s, "") }

// TestRunNats: what can't work is told before anything runs.
func TestRunNats(t *testing.T) {
	for want, args := range map[string][]string{
		"--serve is a server of its own":          {"--nats", "h", "--serve", "127.0.0.1:0"},
		"--sysroot and --library-path name":       {"--nats", "h", "--sysroot", "/"},
		"--serve 0.0.0.0:1: others of the":        {"--serve", "0.0.0.0:1"},
		"nats://127.0.0.1:1: nats: no servers av": {"--nats", "nats://127.0.0.1:1"},
		"--creds, --nkey, --token-file, --tls-":   {"--creds", "f"},
	} {
		e := run(t, append(append([]string{"run"}, args...), compile.Text(t, "gcc", lentGuest))...)
		if e.status != 2 || !strings.Contains(e.stderr, "landgo: "+want) || e.stdout != "" {
			t.Errorf("%v: status %d: %s", args, e.status, e.stderr)
		}
	}
}
