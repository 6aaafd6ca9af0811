// Package guests knows the programs that landgo is tested on and what is
// expected of each: the tables beside their sources (linux/*.json,
// bench/anchors.json, papers/papers.json), as Go data. It builds nothing and runs nothing; the
// Makefile here builds, and README.md says how to add a guest.
package guests

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed linux/*.json bench/anchors.json papers/papers.json
var tables embed.FS

// Builds are the folders that hold each guest: a libc and an optimisation.
var Builds = []string{"glibc-O1", "glibc-O2", "musl-O1", "musl-O2"}

// Verdicts, as landgo names them.
const (
	Verified = "verified"
	Bug      = "bug"
)

// A Failure is a bug that a guest has.
type Failure struct {
	Kind string `json:"kind"` // landgo's name of it
	// Preemptions is the least number of any schedule that fails so.
	Preemptions int `json:"preemptions"`
	// Hint is part of the guest's own message (its assertion), At the
	// function of the guest where the failing thread stands; "" if neither
	// says something stable.
	Hint string `json:"hint,omitempty"`
	At   string `json:"at,omitempty"`
}

// A Guest is one program that was built for each of Builds: a fault, its
// correct twin, or a row of the anchors.
type Guest struct {
	Name    string // of the binary: "lost_update-fixed", "micro-N2-K3"
	About   string
	Source  string // below guests/: "linux/lost_update.c"
	Program string // "lost_update", "micro": the binary's name up to the first hyphen
	Variant string // "fixed", or ""
	Threads int    // main included; 0 where the table doesn't say

	// Verdict of an unbounded search at PP (and finer; Verified at any).
	Verdict string
	// PP is the first of PointLists at which the first of Failures shows;
	// "mem" for Verified.
	PP string
	// Failures are all distinct bugs, fewest preemptions first; the first is
	// the one that landgo has to show. None for Verified.
	Failures []Failure
	// Flags are options of landgo's that the failure takes to show; the twin is
	// verified with them too.
	Flags []string
	// Executions is the number of Mazurkiewicz traces, which --pp mem
	// --search optimal:commute=0 runs, bugs and deadlocks included. 0: not fixed by
	// what the guest is (Note says why), or it stops at its first bug.
	Executions int
	// Commuting, if not 0, is how many of these --search optimal runs unless it is told
	// commute=0: what has the same effect in both orders has one.
	Commuting int
	// KeepGoing: Executions is with --keep-going, over the Failures too.
	KeepGoing bool
	// Within[k] is how many traces some schedule with at most k preemptions
	// produces; nil where not tabulated.
	Within []int
	// Spins: it waits by looking again. How many looks that change nothing a
	// wait takes is a convention, so Executions is 0; they have to be equal on
	// all builds.
	Spins bool
	// Early: its main thread ends the process under the others, so one execution may be
	// all that there is.
	Early bool
	// Concurrent: the fault needs a second thread.
	Concurrent bool
	// Judge is where the numbers come from: "enumerated" (guests/models says
	// the same), "anchors" (other tools), "by hand".
	Judge string
	Note  string
	// Paper is the number of the paper whose program it stands for (docs/papers.md). Bound is the
	// bound without which its search has no end. Both are "" but for Papers.
	Paper, Bound string
	// Race is the class of the data race on its variable x, under each definition
	// of a race ("limited", "hb"). Both go by landgo's names; "": none is
	// listed. Nil where the table doesn't say.
	Race map[string]string
}

// Binary is the guest's path below the folder that the Makefile builds into.
func (g Guest) Binary(build string) string { return filepath.Join(build, g.Name) }

// PointLists are lists of preemption points that landgo's --pp takes, in the
// order in which PP is looked for.
var PointLists = []string{"yield", "lock", "unlock", "lock,unlock", "atomic", "lock,unlock,atomic", "mem"}

type linuxTable struct {
	About      string    `json:"about"`
	Threads    int       `json:"threads"`
	PP         string    `json:"pp"`
	Flags      []string  `json:"flags"`
	Spins      bool      `json:"spins"`
	Early      bool      `json:"early"`
	Concurrent *bool     `json:"concurrent"`
	Source     string    `json:"source"` // of the numbers: "enumerated" or "by hand"
	Note       string    `json:"note"`
	Bugs       []Failure `json:"bugs"`
	Fixed      struct {
		Executions int `json:"executions"`
		Commuting  int `json:"commuting"`
	} `json:"fixed"`
}

// Default is how many executions --search optimal runs; 0: not fixed.
func (g *Guest) Default() int { return cmp.Or(g.Commuting, g.Executions) }

// Linux is the faults of linux/ and their twins, by name.
func Linux() ([]Guest, error) {
	files, err := tables.ReadDir("linux")
	if err != nil {
		return nil, fmt.Errorf("guests: %w", err)
	}
	var all []Guest
	for _, f := range files {
		var t linuxTable
		if err := load(path.Join("linux", f.Name()), &t); err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(f.Name(), ".json")
		bad := Guest{
			Name: name, Program: name, About: t.About, Source: path.Join("linux", name+".c"),
			Threads: t.Threads, Verdict: Bug, PP: t.PP, Failures: t.Bugs, Flags: t.Flags, Spins: t.Spins, Early: t.Early,
			Concurrent: t.Concurrent == nil || *t.Concurrent, Judge: t.Source, Note: t.Note,
		}
		fixed := bad
		fixed.Name, fixed.Variant = name+"-fixed", "fixed"
		fixed.Verdict, fixed.PP, fixed.Failures = Verified, "mem", nil
		fixed.Executions, fixed.Commuting = t.Fixed.Executions, t.Fixed.Commuting
		all = append(all, bad, fixed)
	}
	return all, nil
}

type benchTable struct {
	About string `json:"about"`
	Rows  []struct {
		Name       string            `json:"name"`
		Kind       string            `json:"kind"` // exact, spin, bug
		Executions int               `json:"executions"`
		Commuting  int               `json:"commuting"`
		KeepGoing  bool              `json:"keep_going"`
		Within     []int             `json:"within"`
		Bug        *Failure          `json:"bug"`
		Race       map[string]string `json:"race"`
	} `json:"rows"`
}

// Bench is the rows of bench/anchors.json, in its order.
func Bench() ([]Guest, error) {
	var t benchTable
	if err := load("bench/anchors.json", &t); err != nil {
		return nil, err
	}
	var all []Guest
	for _, r := range t.Rows {
		program, _, _ := strings.Cut(r.Name, "-")
		g := Guest{
			Name: r.Name, Program: program, Source: path.Join("bench", program+".c"), Verdict: Verified, PP: "mem",
			Executions: r.Executions, Commuting: r.Commuting, KeepGoing: r.KeepGoing, Within: r.Within,
			Spins: r.Kind == "spin" || program == "ttaslock", Concurrent: true, Judge: "anchors",
		}
		if r.Kind == "spin" {
			g.Judge, g.Note = "enumerated", "verified, and the same count on all builds"
		}
		if r.Bug != nil {
			g.Verdict, g.Failures = Bug, []Failure{*r.Bug}
		}
		all = append(all, g)
	}
	return all, nil
}

type papersTable struct {
	About string `json:"about"`
	Rows  []struct {
		Name       string            `json:"name"`
		Paper      string            `json:"paper"`
		Verdict    string            `json:"verdict"`
		Executions int               `json:"executions"`
		Commuting  int               `json:"commuting"`
		Bound      string            `json:"bound"`
		Bug        *Failure          `json:"bug"`
		Race       map[string]string `json:"race"`
	} `json:"rows"`
}

// Papers is the rows of papers/papers.json, in its order: the programs of the
// papers, which are built with musl -O2 only. Some are rows of Bench too.
func Papers() ([]Guest, error) {
	var t papersTable
	if err := load("papers/papers.json", &t); err != nil {
		return nil, err
	}
	bench, err := Bench()
	if err != nil {
		return nil, err
	}
	var all []Guest
	for _, r := range t.Rows {
		program, _, _ := strings.Cut(r.Name, "-")
		folder := "papers"
		if slices.ContainsFunc(bench, func(g Guest) bool { return g.Program == program }) {
			folder = "bench"
		}
		g := Guest{
			Name: r.Name, Program: program, Source: path.Join(folder, program+".c"), Verdict: r.Verdict, PP: "mem",
			Executions: r.Executions, Commuting: r.Commuting, Concurrent: true, Judge: "by hand", Paper: r.Paper, Bound: r.Bound, Race: r.Race,
		}
		if r.Bug != nil {
			g.Failures = []Failure{*r.Bug}
		}
		all = append(all, g)
	}
	return all, nil
}

// Sizes are a bench row's options by name, from its binary's: N2 is N=2, BAD is
// BAD=1.
func (g Guest) Sizes() map[string]int {
	sizes := map[string]int{}
	for _, option := range strings.Split(g.Name, "-")[1:] {
		if v, err := strconv.Atoi(option[1:]); err == nil {
			sizes[option[:1]] = v
		} else {
			sizes[option] = 1
		}
	}
	return sizes
}

// Find is the guest with a binary's name.
func Find(name string) (Guest, error) {
	for _, list := range []func() ([]Guest, error){Linux, Bench, Papers} {
		all, err := list()
		if err != nil {
			return Guest{}, err
		}
		if i := slices.IndexFunc(all, func(g Guest) bool { return g.Name == name }); i >= 0 {
			return all[i], nil
		}
	}
	return Guest{}, fmt.Errorf("guests: no guest %q: see guests/README.md for how to add one", name)
}

// load reads one of the embedded tables. A field that this package doesn't know
// is an error: no test would check it.
func load(name string, into any) error {
	f, err := tables.Open(name)
	if err != nil {
		return fmt.Errorf("guests: %w", err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("guests: %s: %w", name, err)
	}
	return nil
}
