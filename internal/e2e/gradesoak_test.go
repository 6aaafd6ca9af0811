package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"landgo/internal/grade"
	"landgo/internal/mutate"
)

// soakTests are the tests of the soak's class, in their order; a class has the first few.
var soakTests = []string{"lab", "threads", "kernel", "queue", "thread2", "lab2"}

// soakLabs are the sources that students' labs are mutants of.
var soakLabs = []string{"lost_wakeup", "handoff", "barrier_count", "missed_broadcast", "deadlock_two", "backout", "if_not_while", "ping_pong"}

// soakWords is the vocabulary of those sources.
var soakWords = mutate.Vocabulary{
	Locks: []mutate.Lock{{Lock: "pthread_mutex_lock", Unlock: "pthread_mutex_unlock", Type: "pthread_mutex_t"}},
	Wakes: []string{"pthread_cond_signal", "pthread_cond_broadcast"},
	Frees: []string{"free("},
}

// labs are correct sources and their mutants.
func labs(t *testing.T) (all []string) {
	t.Helper()
	for _, name := range soakLabs {
		text, err := os.ReadFile(filepath.Join(top, "guests/linux", name+".c"))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := mutate.Plain(string(text), map[string]bool{"FIXED": true})
		if err != nil {
			t.Fatal(err)
		}
		mutants, err := mutate.Mutants("lab.c", plain, soakWords)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, plain)
		for _, m := range mutants {
			all = append(all, m.Text)
		}
	}
	return all
}

// soakHostile are submissions that no course wants: what their build does, and their lab.
var soakHostile = []struct{ build, lab string }{
	{"exec 2>/dev/null; f() { f | f & }; (f); while :; do :; done", ""}, // what it says, and which fork fails, is luck
	{"while :; do :; done", ""},
	{"gcc -g -O1 -static -pthread -o lab lab.c; head -c 3000 lab >x; mv x lab", "int main(void) { return 0; }"},
	{"gcc -g -O1 -static -pthread -o lab lab.c", "#include <pthread.h>\n#include <assert.h>\nstatic int x;\nstatic void *f(void *a)\n{\n#line 1 \"SECRET\"\n\tint t = x; x = t + 1; return a;\n}\nint main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); pthread_join(u, 0); assert(x == 2); return 0; }\n"},
	{"gcc -g -O1 -static -pthread -o lab lab.c", "int main(void) { volatile int x = 0; for (;;) x++; }"},
	{"while :; do head -c 8M /dev/zero >$((i=i+1)); done", ""},
	{"yes", ""},
}

// soakClass makes a class: mutants of programs for Linux, of our own thread libraries, and
// kernels; each twentieth submission is hostile, each seventh an archive.
func soakClass(t *testing.T, students, tests int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, map[string]string{"secret.txt": secretOfSoak + "\n"})
	sources := labs(t)
	t.Logf("%d labs", len(sources))
	glob := func(pattern string) []string {
		all, err := filepath.Glob(filepath.Join(top, "bin/guests", pattern))
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: %d guests, %v", pattern, len(all), err)
		}
		return all
	}
	queues, kernels := glob("pebbles/queue-*"), glob("kernel/course*")
	spins := glob("pebbles/spin-*")
	pick := func(from []string, i int) string { return from[i%len(from)] }
	random := rand.New(rand.NewSource(1)) // the class is always the same
	for i := range students {
		own := filepath.Join(dir, "submissions", fmt.Sprintf("student%03d", i))
		if i%20 == 19 {
			h := soakHostile[i/20%len(soakHostile)]
			write(t, own, map[string]string{"build.sh": h.build + "\n", "lab.c": strings.ReplaceAll(h.lab, "SECRET", filepath.Join(dir, "secret.txt"))})
			continue
		}
		build := ""
		for j, test := range soakTests[:tests] {
			switch test {
			case "lab", "lab2":
				write(t, own, map[string]string{test + ".c": sources[random.Intn(len(sources))]})
				build += fmt.Sprintf("gcc -g -O1 -static -pthread -o %s %s.c\n", test, test)
				continue
			case "threads":
				copyFile(t, pick(spins, i*7+j), filepath.Join(own, test+".elf"))
			case "kernel":
				copyFile(t, pick(kernels, i), filepath.Join(own, test+".elf"))
			default:
				copyFile(t, pick(queues, i*5+j), filepath.Join(own, test+".elf"))
			}
			build += fmt.Sprintf("cp %s.elf %s\n", test, test)
		}
		write(t, own, map[string]string{"build.sh": build})
		if i%7 == 3 {
			pack := exec.Command("tar", "czf", own+".tar.gz", "-C", own, ".")
			if out, err := pack.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			os.RemoveAll(own)
		}
	}
	return dir
}

const secretOfSoak = "canary-of-the-host-51d0"

// soakCourse is the class's course. Searches end by executions, not by time: what a time
// limit cuts differs from run to run. round makes all jobs new.
func soakCourse(tests, round int) string {
	text := "build: {command: sh ./build.sh, time: 20s, disk: 32M, processes: 40, output: 100K}\ntests:\n"
	for _, name := range soakTests[:tests] {
		text += fmt.Sprintf("  - {name: %s, guest: %s, time: %ds, options: {max-executions: 200, search: optimal, pp: lock}}\n", name, name, 3600+round)
	}
	return text + "worth: {bug: {deadlock: 25%, other: 0}}\n"
}

// process is a program that is started again whenever it was killed.
type process struct {
	args []string
	dir  string
	cmd  *exec.Cmd
	gone chan bool
	out  bytes.Buffer
	errs bytes.Buffer
}

func (p *process) start(t *testing.T) {
	t.Helper()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Dir = p.dir
	p.out.Reset()
	p.errs.Reset()
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.gone = make(chan bool)
	go func(cmd *exec.Cmd, gone chan bool) {
		cmd.Wait()
		close(gone)
	}(p.cmd, p.gone)
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.gone
}

func (p *process) running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// freeAddresses are addresses that no program has.
func freeAddresses(t *testing.T, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all
}

// TestSoakGrade: a class has two workers and three servers, and its fronts, engines,
// workers and servers are killed all the time. Its tables are those of one that nothing
// disturbed, byte for byte. LANDGO_SOAK_GRADE says how large: students, tests of each and
// kills, as in 60x3x40.
func TestSoakGrade(t *testing.T) {
	var students, tests, kills int
	if n, _ := fmt.Sscanf(os.Getenv("LANDGO_SOAK_GRADE"), "%dx%dx%d", &students, &tests, &kills); n != 3 {
		t.Skip("LANDGO_SOAK_GRADE=60x3x40, say, runs it")
	}
	needsLandlock(t)
	dir := soakClass(t, students, min(tests, len(soakTests)))
	round := 0
	course := func() {
		write(t, dir, map[string]string{"course.yaml": soakCourse(min(tests, len(soakTests)), round)})
	}
	course()
	grading := func(run string, more ...string) []string {
		return append([]string{landgo, "grade", "--json", "--quiet", "--run", run, "--csv", run + ".csv", "--jobs", "2", "course.yaml", "submissions"}, more...)
	}
	timed := func(args []string) (string, time.Duration, time.Duration) {
		p := &process{args: args, dir: dir}
		begin := time.Now()
		p.start(t)
		<-p.gone
		if status := p.cmd.ProcessState.ExitCode(); status != 0 && status != 4 {
			t.Fatalf("status %d: %s", status, p.errs.String())
		}
		return p.out.String(), time.Since(begin), p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	}
	want, first, _ := timed(grading("quiet"))
	again, second, _ := timed(grading("quiet"))
	var table grade.Table
	if err := json.Unmarshal([]byte(want), &table); err != nil {
		t.Fatal(err)
	}
	shorts := map[string]int{}
	for _, row := range table.Students {
		for _, c := range row.Cells {
			shorts[c.Short]++
		}
	}
	t.Logf("%d students: %v; %d mistakes; first run %v, second %v (%.1f %%)", len(table.Students), shorts, len(table.Mistakes), first.Round(time.Millisecond), second.Round(time.Millisecond), 100*second.Seconds()/first.Seconds())
	if again != want {
		t.Error("the second run has other tables")
	}
	if strings.Contains(want, secretOfSoak) {
		t.Error("a table has the host's secret")
	}

	program := filepath.Join(t.TempDir(), "natsserver")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./internal/e2e/testdata/natsserver")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	addresses := freeAddresses(t, 6)
	var routes, urls []string
	for i := range 3 {
		routes = append(routes, "nats://"+addresses[3+i])
		urls = append(urls, "nats://"+addresses[i])
	}
	var servers, workers []*process
	for i := range 3 {
		p := &process{args: []string{program, t.TempDir(), fmt.Sprint("n", i), addresses[i], addresses[3+i], strings.Join(routes, ",")}, dir: dir}
		p.start(t)
		defer p.kill()
		servers = append(servers, p)
	}
	time.Sleep(3 * time.Second) // they elect one
	net := []string{"--nats", strings.Join(urls, ","), "--dead-after", "2s"}
	for range 2 {
		p := &process{args: append([]string{landgo, "worker", "--quiet", "--jobs", "1"}, net...), dir: dir}
		p.start(t)
		defer p.kill()
		workers = append(workers, p)
	}
	far := func(run string) *process {
		return &process{args: grading(run, append(net, "--jobs", "0")...), dir: dir}
	}
	round++
	course()
	_, byQueue, front := timed(far("far").args)
	jobs, _ := filepath.Glob(filepath.Join(dir, "far", "results", "*"))
	t.Logf("undisturbed with two workers and three servers: %v for %d jobs, the front's processor time %v", byQueue.Round(time.Millisecond), len(jobs), front.Round(time.Millisecond))

	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewSource(seed))
	done := map[string]int{}
	begin := time.Now()
	finished := 0 // classes
	total := func() (n int) {
		for _, k := range done {
			n += k
		}
		return n
	}
	for total() < kills || finished < 2 {
		round++
		course()
		p, most := far("killed"), kills/3 // the first class is built too
		if finished > 0 {
			most = kills
		}
		p.start(t)
		for p.running() || p.cmd.ProcessState.ExitCode() < 0 {
			if !p.running() {
				p.start(t) // the same command goes on
			}
			select {
			case <-p.gone:
				continue
			case <-time.After(time.Duration(200+random.Intn(800)) * time.Millisecond):
			}
			if total() >= most {
				continue
			}
			switch kind := []string{"front", "worker", "worker", "engine", "engine", "server"}[random.Intn(6)]; kind {
			case "front":
				p.kill()
				done[kind]++
			case "worker":
				w := workers[random.Intn(2)]
				w.kill()
				w.start(t)
				done[kind]++
			case "engine":
				for _, w := range append([]*process{p}, workers...) { // or a build
					if own := children(w.cmd.Process.Pid); len(own) > 0 {
						syscall.Kill(own[random.Intn(len(own))], syscall.SIGKILL)
						done[kind]++
						break
					}
				}
			case "server":
				s := servers[random.Intn(3)]
				s.kill()
				time.Sleep(time.Duration(random.Intn(1000)) * time.Millisecond)
				s.start(t)
				done[kind]++
				time.Sleep(time.Second)
			}
		}
		finished++
		// A new course's jobs have new names, and so have the files of their bugs.
		if got, want := bugFile.ReplaceAllString(p.out.String(), "bugs/"), bugFile.ReplaceAllString(want, "bugs/"); got != want {
			t.Errorf("after %v the tables differ: status %d: %s\n%s", done, p.cmd.ProcessState.ExitCode(), difference(want, got), p.errs.String())
		}
	}
	t.Logf("%v killed in %v, %d classes finished", done, time.Since(begin).Round(time.Second), finished)
}

// bugFile is the name of the file of a class's bug.
var bugFile = regexp.MustCompile(`bugs/[0-9a-f]{32}`)

// difference shows the first line of two texts that differs.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("line %d: %q, want %q", i+1, strings.Join(b[min(i, len(b)):min(i+6, len(b))], " "), strings.Join(a[i:min(i+6, len(a))], " "))
		}
	}
	return "more lines"
}
