package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	os.Exit(bench())
}

// names of the tables, in the order in which they are made.
var names = []string{"speed", "searches", "costs", "memory", "deepening", "jobs", "counts", "peers"}

func bench() int {
	runs := flag.Int("runs", 5, "the speed table shows the median of this many runs")
	only := flag.String("only", strings.Join(names, ","), "make these tables only")
	profiled := flag.String("profile", "", "write "+engineProfile+" instead, with the profiled engine in this folder")
	flag.Parse()
	if *profiled != "" {
		if err := profileEngine(*profiled); err != nil {
			return fail(err)
		}
		return 0
	}
	asked := strings.Split(*only, ",")
	for _, n := range asked {
		if !slices.Contains(names, n) {
			return fail(fmt.Errorf("-only: there is no table %q", n))
		}
	}
	rows, err := anchors("guests/bench/anchors.json")
	if err != nil {
		return fail(err)
	}
	first, err := measure("bin/guests/glibc-O1/lost_update-fixed")
	if err != nil {
		return fail(err)
	}
	fmt.Printf("%s\n", machine(first.Certificate.Engine))
	tables := map[string]func() error{
		"speed":     func() error { return speed(*runs, rows) },
		"searches":  searches,
		"costs":     func() error { return measureCosts(*runs) },
		"memory":    growing,
		"deepening": deepening,
		"jobs":      func() error { return jobs(min(*runs, 3)) },
		"counts":    func() error { return counts(rows) },
		"peers":     func() error { return peers(min(*runs, 3)) },
	}
	status := 0
	for _, n := range names {
		if !slices.Contains(asked, n) {
			continue
		}
		fmt.Println()
		if err := tables[n](); err != nil {
			status = fail(err)
		}
	}
	return status
}

func fail(err error) int {
	fmt.Fprintf(os.Stderr, "bench: %v\n", err)
	return 1
}

// An anchor is a row of anchors.json.
type anchor struct {
	Name       string `json:"name"`
	Executions uint64 `json:"executions"` // 0: no count to agree with
	Commuting  uint64 `json:"commuting"`  // if not 0, that of the default search
	KeepGoing  bool   `json:"keep_going"`
}

func anchors(path string) ([]anchor, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Rows []anchor `json:"rows"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range file.Rows {
		r := &file.Rows[i]
		r.Executions = cmp.Or(r.Commuting, r.Executions)
	}
	return file.Rows, nil
}

// builds are those that every row is counted on.
var builds = []string{"musl-O2", "musl-O1", "glibc-O2", "glibc-O1"}

// counts runs every row on every build, and returns an error if a count is
// wrong. It goes through all rows first.
func counts(rows []anchor) error {
	fmt.Printf("%-20s %9s", "guest", "expected")
	for _, b := range builds {
		fmt.Printf("  %8s %7s %9s %4s", b, "seconds", "rate", "MiB")
	}
	fmt.Println()
	var bad error
	for _, r := range rows {
		fmt.Printf("%-20s %9s", r.Name, r.expected())
		for _, b := range builds {
			path := "bin/guests/" + b + "/" + r.Name
			args := slices.Clone(plain)
			if r.KeepGoing {
				args = append(args, "--keep-going")
			}
			s, err := measure(append(args, path)...)
			if err != nil {
				return err
			}
			if r.Executions > 0 && s.Executions != r.Executions {
				bad = wrong(path, s, r.Executions)
			}
			fmt.Printf("  %8d %7.2f %7.0f/s %4d", s.Executions, s.Seconds, s.rate(), s.peak>>10)
		}
		fmt.Println()
	}
	return bad
}

func (r anchor) expected() string {
	if r.Executions == 0 {
		return "-"
	}
	return fmt.Sprint(r.Executions)
}
