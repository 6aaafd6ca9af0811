package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"landgo/guests/outside"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// TestOutside: programs that print what they saw have the outcomes that the default search lists
// and no others. They are tried by no reduction, by samples, with libc's own code, with store
// buffers, and on the machine that the test runs on, delayed here and there.
// LANDGO_SOAK_OUTSIDE=N in the environment runs N programs with a fresh seed and goes on after a
// finding. LANDGO_SEED gives a seed, LANDGO_PROGRAM one of its programs, LANDGO_CC a compiler.
// LANDGO_SOAK_RUNS says how often each runs natively. LANDGO_THEMES=A,B leaves programs out that
// have nothing to do with these themes.
func TestOutside(t *testing.T) {
	t.Parallel()
	o := &outsideRun{T: t, seed: 1, n: 10, nativeRuns: 15, effort: 1, refused: map[string]int{}, told: map[string]int{}}
	if n, err := strconv.Atoi(os.Getenv("LANDGO_SOAK_OUTSIDE")); err == nil {
		o.seed, o.n, o.nativeRuns, o.effort, o.most = rand.Uint64N(1<<32), n, 300, 6, 2*time.Second
	}
	if runs, err := strconv.Atoi(os.Getenv("LANDGO_SOAK_RUNS")); err == nil {
		o.nativeRuns = runs
	}
	if seed, err := strconv.ParseUint(os.Getenv("LANDGO_SEED"), 10, 64); err == nil {
		o.seed = seed
	}
	only := -1
	if i, err := strconv.Atoi(os.Getenv("LANDGO_PROGRAM")); err == nil {
		only = i
	}
	t.Logf("seed %d, %d programs", o.seed, o.n)
	themes := strings.FieldsFunc(os.Getenv("LANDGO_THEMES"), func(r rune) bool { return r == ',' })
	number := 0
	for from := 0; from < o.n; from += outsideBatch {
		o.cc = []string{"gcc", "g++", "gcc", "musl-gcc"}[from/outsideBatch%4]
		if cc := os.Getenv("LANDGO_CC"); cc != "" {
			o.cc = cc
		} else if _, err := exec.LookPath(o.cc); err != nil {
			t.Run(o.cc, func(t *testing.T) { t.Skipf("no %s: C in the place of its programs", o.cc) })
			o.cc = "gcc"
		}
		var batch []*outside.Program
		for size, first := min(outsideBatch, o.n-from), number; len(batch) < size; number++ {
			if number-first > 10000 {
				t.Fatalf("no program of %v in this language: LANDGO_CC=gcc or g++ chooses it", themes)
			}
			p := outside.New(o.seed, number, o.language())
			if len(themes) == 0 || slices.ContainsFunc(p.Themes, func(name string) bool { return slices.Contains(themes, name) }) {
				batch = append(batch, p)
			}
		}
		if only >= 0 {
			batch = slices.DeleteFunc(batch, func(p *outside.Program) bool { return p.Number != only })
			if len(batch) == 0 {
				continue
			}
		}
		if o.build = fixedBuild; o.most > 0 {
			o.build = outsideBuilds[from/outsideBatch/4%len(outsideBuilds)]
		}
		guest, err := buildOutside(t.TempDir(), o.cc, o.build, batch)
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range batch {
			if f := o.check(guest, k, p, ""); f != nil {
				o.tell(p, f)
			}
		}
		if o.most > 0 {
			t.Logf("%d programs so far, %d compared, %d outcomes, %d too large", from+len(batch), o.compared, o.outcomes, o.tooLarge)
		}
	}
	t.Logf("%d programs compared, %d outcomes, %d too large; refused: %v", o.compared, o.outcomes, o.tooLarge, o.refused)
	if only < 0 && o.compared < o.n/2 {
		t.Errorf("%d of %d programs compared: the test tests little", o.compared, o.n)
	}
}

// outsideBatch is how many programs are in one file.
const outsideBatch = 4

// fixedBuild is how programs are built, and outsideBuilds how those of a soak are.
const fixedBuild = "-O1 -static"

var outsideBuilds = []string{fixedBuild, "-O2", "-O0 -static", "-O2 -static", "-O0"}

type outsideRun struct {
	*testing.T
	seed       uint64
	n          int
	cc, build  string
	nativeRuns int
	// effort is how many times the fixed sample's executions searches may have, and
	// most how long they may take, if that isn't 0. The sample, by which a change
	// is judged, is the same on every machine.
	effort uint64
	most   time.Duration

	compared, outcomes, tooLarge int
	refused                      map[string]int
	told                         map[string]int // findings, by gate and theme
}

func (o *outsideRun) language() outside.Language {
	if o.cc == "g++" {
		return outside.CXX
	}
	return outside.C
}

// A judge is another way to list a program's outcomes.
type judge struct {
	name   string
	config func(*config.Config)
	search string
	limit  uint64
}

var judges = []judge{
	{name: "none", search: "none", limit: 200},
	{name: "random", search: "random:runs=60", limit: 60},
	{name: nativeSync, config: func(c *config.Config) { c.NativeSync = true }, search: "optimal", limit: 200},
	{name: "locks tested", config: func(c *config.Config) { c.LocksTested = []string{config.AllLocks} }, search: "optimal", limit: 200},
}

// A disagreement is the difference between two ways to list a program's outcomes.
type disagreement struct {
	gate           string
	missing, extra []string
	listed, other  *listing
}

func (d *disagreement) String() string {
	return fmt.Sprintf("%s: not listed %q, listed only %q\nlisted %v\n%s %v", d.gate, d.missing, d.extra, d.listed, d.gate, d.other)
}

// Gates that aren't a judge's.
const (
	failing   = "error"
	hardware  = "machine"
	deepens   = "deepening"
	ownStores = "store buffers"
)

// nativeSync is the judge that runs the C library's own locks.
const nativeSync = "native-sync"

// check lists a program's outcomes in all ways, or for one gate only, and says
// where two differ.
func (o *outsideRun) check(g *outsideGuest, k int, p *outside.Program, gate string) *disagreement {
	c := g.config(k)
	if p.Timed() {
		c.Timeouts = config.TimeoutsAny
	}
	listed := list(c, "optimal", 300*o.effort, o.most)
	switch {
	case listed.err != nil:
		why := listed.err.Error()
		o.refused[why]++
		var gap *scheduler.InvalidError
		var long *scheduler.BudgetError
		if !errors.As(listed.err, &gap) && !errors.As(listed.err, &long) {
			return &disagreement{gate: failing, listed: listed, other: listed}
		}
		return nil
	case !listed.complete:
		o.tooLarge++
		return nil
	}
	o.compared++
	o.outcomes += len(listed.outcomes)
	for _, j := range judges {
		if gate != "" && gate != j.name {
			continue
		}
		d := c
		if j.config != nil {
			j.config(&d)
		}
		other := list(d, j.search, j.limit*o.effort, o.most/2)
		other.complete = other.complete && !strings.Contains(j.search, ":") // samples are never all
		if f := compareListings(j.name, listed, other); f != nil {
			return f
		}
	}
	if o.nativeRuns > 0 && (gate == "" || gate == hardware) {
		if f := compareListings(hardware, listed, g.natively(k, o.nativeRuns, o.seed+uint64(k))); f != nil {
			return f
		}
	}
	if gate == "" && (o.most > 0 || p.Number%8 == 0) || gate == ownStores {
		if f := o.buffered(c, listed); f != nil {
			return f
		}
	}
	if gate == "" && p.Number%4 == 0 || gate == deepens {
		return o.deepened(c, listed)
	}
	return nil
}

// compareListings: what another way shows has to be listed, and it all, if that
// way has ended.
func compareListings(gate string, listed, other *listing) *disagreement {
	f := &disagreement{gate: gate, missing: other.beyond(listed), listed: listed, other: other}
	if other.complete {
		f.extra = listed.beyond(other)
	}
	misused := slices.ContainsFunc(slices.Collect(maps.Keys(listed.outcomes)), func(o string) bool { return strings.HasPrefix(o, string(trace.LockMisuse)) })
	if gate == hardware && misused { // the library may crash then, where landgo tells of it
		f.missing = slices.DeleteFunc(f.missing, func(o string) bool { return o == "signal 11" })
	}
	if gate == nativeSync { // a misuse is landgo's word: the library goes on; and its spin locks turn
		f.extra = slices.DeleteFunc(f.extra, func(o string) bool { return strings.HasPrefix(o, string(trace.LockMisuse)) })
		if listed.outcomes["hangs"] > 0 {
			f.missing = slices.DeleteFunc(f.missing, func(o string) bool { return o == "turns" })
		}
	}
	if len(f.missing)+len(f.extra) == 0 {
		return nil
	}
	return f
}

// buffered: with store buffers, the search lists what no reduction does; and all that there is
// without them.
func (o *outsideRun) buffered(c config.Config, listed *listing) *disagreement {
	c.Model = config.ModelTSO
	here := list(c, "optimal", 300*o.effort, o.most)
	if here.err != nil || !here.complete {
		return nil // it is larger, and more of it isn't modelled
	}
	if missing := listed.beyond(here); len(missing) > 0 {
		return &disagreement{gate: ownStores, missing: missing, listed: here, other: listed}
	}
	return compareListings(ownStores, here, list(c, "none", 200*o.effort, o.most/2))
}

// deepened: without --pp, an outcome is found where it is called wrong, and a
// program that has no bug is verified where one that it hasn't is.
func (o *outsideRun) deepened(c config.Config, listed *listing) *disagreement {
	c.Deepen, c.Jobs, c.Time = true, 1, o.most
	if o.most == 0 {
		c.MaxExecutions = 300
	}
	fails := false
	for outcome := range listed.outcomes {
		fails = fails || !strings.Contains(outcome, " 0:")
	}
	wrongs := append(slices.Sorted(maps.Keys(listed.outcomes)), "no such outcome")
	if len(wrongs) > 4 {
		wrongs = wrongs[len(wrongs)-4:]
	}
	for _, wrong := range wrongs {
		d := c
		// A handler of exit writes "x" besides, which isn't in the line that is compared.
		d.Args = []string{c.Args[0], strings.Trim(wrong, " x")}
		want := result.Buggy
		if wrong == "no such outcome" && !fails {
			want = result.Verified
		}
		r, err := Run(context.Background(), d, nil)
		if err != nil {
			return &disagreement{gate: deepens, missing: []string{wrong}, listed: listed, other: &listing{err: err}}
		}
		r.Finish()
		if r.Verdict != want && r.Verdict != result.Budget {
			return &disagreement{gate: deepens, missing: []string{wrong}, listed: listed, other: &listing{err: fmt.Errorf("is %s, not %s: %s", r.Verdict, want, r.Reason)}}
		}
	}
	return nil
}

// tell reports a finding, with the program as small as it gets.
func (o *outsideRun) tell(p *outside.Program, f *disagreement) {
	o.Errorf("FINDING seed %d, program %d, %s %s, %v, %v", o.seed, p.Number, o.cc, o.build, p.Themes, f)
	kind := f.gate + " " + p.Themes[0]
	if o.told[kind]++; o.told[kind] > 3 {
		return // likely what the others are
	}
	for range 8 {
		q, g := o.smaller(p, f)
		if q == nil {
			break
		}
		p, f = q, g
	}
	o.Logf("SMALLEST of seed %d, program %d, %s, timed %v: %v\n%s", o.seed, p.Number, o.cc, p.Timed(), f, p.Text(0))
}

// smaller leaves out every statement that the finding doesn't need by itself: all
// of them at once, or the first, if there is one.
func (o *outsideRun) smaller(p *outside.Program, f *disagreement) (*outside.Program, *disagreement) {
	quiet := *o
	quiet.refused = map[string]int{}
	try := func(programs []*outside.Program) (found []*disagreement) {
		guest, err := buildOutside(o.TempDir(), o.cc, o.build, programs)
		if err != nil {
			o.Fatal(err)
		}
		for k, q := range programs {
			g := quiet.check(guest, k, q, f.gate)
			if g != nil && g.gate != f.gate {
				g = nil
			}
			found = append(found, g)
		}
		return found
	}
	var each []*outside.Program
	for i := range p.Statements() {
		each = append(each, p.Without(i, true), p.Without(i, false))
	}
	if len(each) == 0 {
		return nil, nil
	}
	found := try(each)
	all, first := p, -1
	for i := len(each) - 1; i >= 0; i-- {
		if found[i] != nil {
			all, first = all.Without(i/2, i%2 == 0), i
		}
		if i%2 == 1 && found[i] != nil {
			i-- // it is gone already
		}
	}
	if first < 0 {
		return nil, nil
	}
	if g := try([]*outside.Program{all}); g[0] != nil {
		return all, g[0]
	}
	return each[first], found[first]
}
