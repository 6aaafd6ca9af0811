package explore

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"landgo/guests/outside"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// listing is the outcomes of a program, as one search or the machine has them:
// each is the line that the program prints, or how else it ended.
type listing struct {
	outcomes   map[string]int // and how often
	executions int
	complete   bool
	err        error
}

func (l *listing) String() string {
	return fmt.Sprintf("%d executions, complete %v, error %v: %q", l.executions, l.complete, l.err, slices.Sorted(maps.Keys(l.outcomes)))
}

// beyond is which outcomes aren't another's.
func (l *listing) beyond(other *listing) (more []string) {
	for o := range l.outcomes {
		if other.outcomes[o] == 0 {
			more = append(more, o)
		}
	}
	slices.Sort(more)
	return more
}

// lister is the por.Observer that makes a listing.
type lister struct {
	*session.Session
	*listing
	until time.Time
}

func (l *lister) Ended(x *por.Execution) bool {
	if x.Ending == por.EndedBlocked || x.Ending == por.EndedPruned {
		return true
	}
	h := hunt{Session: l.Session}
	outcome := strings.ReplaceAll(strings.TrimSpace(string(l.Console.Output(1))), "\n", " ")
	if f := h.failureAt(x); f != nil {
		outcome = failed(f)
	}
	l.outcomes[outcome]++
	l.executions++
	return l.until.IsZero() || time.Now().Before(l.until)
}
func (l *lister) Progress(por.Progress) {}
func (l *lister) Restarted()            { clear(l.outcomes); l.executions = 0 }

var signalNumber = regexp.MustCompile(`signal (\d+)`)

// failed is a failure as the native side names it.
func failed(f *scheduler.Failure) string {
	switch f.Kind {
	case trace.Deadlock:
		return "hangs"
	case trace.Livelock:
		return "turns"
	case trace.Segfault, trace.StackOverflow:
		return "signal 11"
	}
	if m := signalNumber.FindStringSubmatch(f.Message); m != nil && f.Kind == trace.Assertion {
		return "signal " + m[1]
	}
	return fmt.Sprintf("%s: %s", f.Kind, f.Message)
}

// list lists a program's outcomes by a search, for a time at most if that isn't 0.
func list(c config.Config, search string, limit uint64, most time.Duration) *listing {
	l := &listing{outcomes: map[string]int{}}
	s, err := session.Open(c, nil)
	if s != nil {
		defer s.Close()
	}
	if err != nil {
		l.err = err
		return l
	}
	engine, err := por.New(search, por.Options{EndsAnywhere: true, OneEvent: c.PP.Has(trace.MemPoints), MaxExecutions: limit})
	if err != nil {
		l.err = err
		return l
	}
	observer := &lister{Session: s, listing: l}
	if most > 0 {
		observer.until = time.Now().Add(most)
	}
	stats, err := engine.Run(s.Guest, observer)
	l.complete, l.err = stats.Complete, err
	return l
}

// outsideGuest is a file of programs, built for landgo and for the machine.
type outsideGuest struct{ guest, native, data string }

func (g *outsideGuest) config(program int) config.Config {
	c := config.Default()
	c.Guest, c.Args, c.PP, c.Out = g.guest, []string{strconv.Itoa(program)}, trace.MemPoints, config.NoFile
	c.Files = []config.GuestFile{{Host: g.data, Guest: "data.txt"}}
	return c
}

// buildOutside compiles programs of one language, with a compiler's options.
func buildOutside(dir, cc, options string, programs []*outside.Program) (*outsideGuest, error) {
	g := &outsideGuest{guest: filepath.Join(dir, "guest"), native: filepath.Join(dir, "native"), data: filepath.Join(dir, "data.txt")}
	if err := os.WriteFile(g.data, []byte("abcdefgh"), 0o600); err != nil {
		return nil, err
	}
	for out, points := range map[string]bool{g.guest: false, g.native: true} {
		source := out + map[outside.Language]string{outside.C: ".c", outside.CXX: ".cc"}[programs[0].Language]
		if err := os.WriteFile(source, []byte(outside.Source(programs, points)), 0o600); err != nil {
			return nil, err
		}
		args := append(strings.Fields(options), "-g", "-w", "-pthread", "-o", out, source)
		switch cc {
		case "musl-gcc": // which doesn't know the kernel's headers, and is linked statically
			args = append(args, "-static", "-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu")
		case "g++":
			args = append(args, "-std=c++20")
		}
		if msg, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", cc, err, msg)
		}
	}
	return g, nil
}

// natively runs a program on this machine, with delays that a seed gives.
func (g *outsideGuest) natively(program, runs int, seed uint64) *listing {
	l := &listing{outcomes: map[string]int{}}
	cmd := exec.Command(g.native, strconv.Itoa(program), strconv.Itoa(runs), strconv.FormatUint(seed, 10))
	cmd.Dir = filepath.Dir(g.data)
	out, err := cmd.Output()
	l.err = err
	for _, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		// How often, in which run first, what.
		if f := strings.SplitN(string(line), "\t", 3); len(f) == 3 {
			n, err := strconv.Atoi(f[0])
			if err != nil {
				l.err = err
			}
			l.outcomes[strings.TrimSpace(f[2])] += n
			l.executions += n
		}
	}
	return l
}
