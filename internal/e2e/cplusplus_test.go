package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCPlusPlus: a report of a C++ program has the user's names and lines, and those of
// the library on request only.
func TestCPlusPlus(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	for _, level := range []string{"-O0", "-O2"} {
		path := filepath.Join(t.TempDir(), "queue")
		if text, err := exec.Command("g++", level, "-g", "-static", "-pthread", "-o", path, "testdata/queue.cc").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		short := run(t, "run", "--quiet", path).stdout
		for _, want := range []string{"bug under sequential consistency: assertion: ", "T1 = 0.1 lambda at queue.cc:29", "T2 = 0.2 lambda at queue.cc:34", "T2 lambda queue.cc:34", "created in main queue.cc:34", "holding main::q.m", "pool::Queue<int>::pop queue.cc:18"} {
			if !strings.Contains(strings.ReplaceAll(short, "testdata/", ""), want) {
				t.Errorf("%s: no %q in\n%s", level, want, short)
			}
		}
		for _, hidden := range []string{"_Z", "_M_", "std_mutex.h", "std_thread.h", "execute_native", "__assert_fail", "operator()"} {
			if strings.Contains(short, hidden) {
				t.Errorf("%s: %q in\n%s", level, hidden, short)
			}
		}
		if all := run(t, "run", "--quiet", "-v", path).stdout; !strings.Contains(all, "__assert_fail") || !strings.Contains(all, "execute_native_thread_routine") {
			t.Errorf("%s: -v has\n%s", level, all)
		}
	}
}
