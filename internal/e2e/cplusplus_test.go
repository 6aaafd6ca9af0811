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

// TestToldNames: what reports call blocks of C++, threads in the list of data races, and a
// signal that comes at a bad moment.
func TestToldNames(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	for _, c := range []struct {
		source string
		has    []string
		hasnt  []string
	}{
		{"stats.cc", []string{"changes Stats.bytes (allocated at stats.cc:6)", "Stats.bytes, allocated at stats.cc:6: T1", "lambda stats.cc:16 writes it"}, []string{"block + ", "byte 8", "execute_native"}},
		{"table.cc", []string{"takes Fork[0].m (allocated at table.cc:11) (table.cc:14) and then Fork[1].m", "waits for mutex Fork[2].m", "reads main::table.forks+8"}, []string{"block + "}},
		{"handler.c", []string{"T1 admin sends SIGUSR1 to T0 main (handler.c:17), which comes after that thread writes conf (handler.c:29)", "T0 preempted before it writes conf, then T1 main handler.c:31"}, []string{"signals of T0 main (0)"}},
	} {
		path := filepath.Join(t.TempDir(), "guest")
		if text, err := exec.Command("g++", "-x", map[bool]string{true: "c++", false: "c"}[strings.HasSuffix(c.source, ".cc")], "-O1", "-g", "-static", "-pthread", "-o", path, "testdata/"+c.source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		said := run(t, "run", "--quiet", path).stdout
		plain := strings.Join(strings.Fields(strings.ReplaceAll(said, "testdata/", "")), " ")
		for _, want := range c.has {
			if !strings.Contains(plain, want) {
				t.Errorf("%s: no %q in\n%s", c.source, want, said)
			}
		}
		for _, not := range c.hasnt {
			if strings.Contains(plain, not) {
				t.Errorf("%s: %q in\n%s", c.source, not, said)
			}
		}
	}
}
