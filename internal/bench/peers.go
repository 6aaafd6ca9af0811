package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"landgo/internal/result"
)

// The same programs by other model checkers of C, where they are installed. $NIDHUGG is nidhuggc's
// path, $GENMC genmc's. $NIDHUGG_PROGRAMS is a folder with programs of Nidhugg's, which are
// compared with store buffers.

// shared are programs of guests/bench that all of them read, in sizes for seconds.
var shared = []string{"nwriters -DN=8", "micro -DN=2 -DK=5", "fib_bench -DN=4", "mutex_inc -DN=2 -DK=8", "ring -DN=8", "indexer -DN=15", "filesystem -DN=22",
	"lastzero -DN=9", "writer_readers -DN=10", "two_cells -DN=4", "peterson -DN=2", "ticketlock -DN=4", "ttaslock -DN=3", "ainc -DN=7"}

// A tool is a peer with one of its settings.
type tool struct {
	name string
	line func(flags []string, source string) []string
}

// tools are the installed peers' settings with a memory model.
func tools(model string) (list []tool) {
	if path := os.Getenv("NIDHUGG"); path != "" {
		settings := []string{"--optimal", "--observers", "--rf"}
		if model == "tso" {
			settings = []string{"--source"}
		}
		for _, s := range settings {
			list = append(list, tool{"nidhugg " + s, func(flags []string, source string) []string {
				return slices.Concat([]string{path}, flags, []string{"--", "--" + model, s, source})
			}})
		}
	}
	if path := os.Getenv("GENMC"); path != "" {
		list = append(list, tool{"genmc", func(flags []string, source string) []string {
			return slices.Concat([]string{path, "--" + model, "--disable-estimation", "--"}, flags, []string{source})
		}})
	}
	return list
}

// An outcome is a tool's result on a program.
type outcome struct {
	verdict    string // "": neither verified nor a bug
	executions uint64
	cpu        time.Duration
}

func (o outcome) String() string {
	return fmt.Sprintf("%9s %8d %7.2f s", cmp.Or(o.verdict, "-"), o.executions, o.cpu.Seconds())
}

var (
	traces = regexp.MustCompile(`(?:Trace count|Number of complete executions explored): (\d+)`)
	failed = regexp.MustCompile(`Error detected|Assertion violation|Safety violation`)
)

// most is how long a tool may take for one program.
const most = time.Minute

// run runs a peer once.
func (p tool) run(flags []string, source string) (o outcome, err error) {
	ctx, stop := context.WithTimeout(context.Background(), most)
	defer stop()
	line := p.line(flags, source)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if cmd.ProcessState == nil {
		return o, err
	}
	o.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if m := traces.FindSubmatch(out.Bytes()); m != nil {
		o.executions, _ = strconv.ParseUint(string(m[1]), 10, 64)
	}
	switch {
	case bytes.Contains(out.Bytes(), []byte("No errors were detected")):
		o.verdict = string(result.Verified)
	case bytes.Contains(out.Bytes(), []byte("Nondeterminism detected")): // its own doubt
	case failed.Match(out.Bytes()):
		o.verdict = string(result.Buggy)
	}
	return o, nil
}

// own runs landgo once. A thread that waits for ever isn't an error to the peers, and runs in which
// an assumption fails aren't in their counts.
func own(model, path string) (o outcome, err error) {
	s, err := measure("--model", model, "--pp", "mem", "--race", "off", "--time", fmt.Sprint(most), path)
	if err != nil {
		return o, err
	}
	o = outcome{string(s.Verdict), s.Executions - s.AssumedAway, s.cpu}
	if s.Bug != nil {
		if kind := fmt.Sprint(s.Bug.Kind); kind == "livelock" || kind == "deadlock" {
			o.verdict = kind
		}
	}
	return o, nil
}

// compare prints landgo's outcome and each peer's, medians of runs that alternate. A bug that one of
// them finds in what another verifies is an error.
func compare(name, model, path, source string, flags []string, peers []tool, runs int) error {
	all := make([][]outcome, len(peers)+1)
	for range runs {
		for i := range all {
			var o outcome
			var err error
			if i == 0 {
				o, err = own(model, path)
			} else {
				o, err = peers[i-1].run(flags, source)
			}
			if err != nil {
				return err
			}
			all[i] = append(all[i], o)
		}
	}
	fmt.Printf("%-40s", name)
	clash := false
	for i, os := range all {
		slices.SortFunc(os, func(a, b outcome) int { return cmp.Compare(a.cpu, b.cpu) })
		all[i][0] = os[len(os)/2]
		fmt.Printf(" %s", all[i][0])
		one, other := all[0][0].verdict, all[i][0].verdict
		clash = clash || one == string(result.Verified) && other == string(result.Buggy) || one == string(result.Buggy) && other == string(result.Verified)
	}
	fmt.Println()
	if clash {
		return fmt.Errorf("%s, %s: the verdicts contradict each other", name, model)
	}
	return nil
}

// peers prints the tables. It goes through all rows before it returns an error.
func peers(runs int) (bad error) {
	for _, model := range []string{"sc", "tso"} {
		ts := tools(model)
		if len(ts) == 0 {
			fmt.Println("peers: neither $NIDHUGG nor $GENMC is set")
			return nil
		}
		fmt.Printf("%-40s %28s", model+": verdict, executions, processor", "landgo")
		for _, p := range ts {
			fmt.Printf(" %28s", p.name)
		}
		fmt.Println()
		for _, row := range shared {
			program, flags, _ := strings.Cut(row, " ")
			path, err := compile(program, flags, program+"-peers")
			if err == nil {
				err = compare(row, model, path, "guests/bench/"+program+".c", strings.Fields(flags), ts, runs)
			}
			bad = cmp.Or(bad, err)
		}
		if folder := os.Getenv("NIDHUGG_PROGRAMS"); folder != "" && model == "tso" {
			bad = cmp.Or(bad, theirs(folder, ts, runs))
		}
	}
	return bad
}

// around calls a program's main, whose status is no error to the peers, and has their assumptions.
const around = `#include "landgo-linux.h"
int tested_main(int, char **);
int main(int n, char **v) { tested_main(n, v); return 0; }
void __VERIFIER_assume(int holds) { landgo_assume(holds); }
`

// theirs compares the programs in a folder that gcc can build.
func theirs(folder string, ts []tool, runs int) (bad error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, wrapper := filepath.Join(dir, "guest"), filepath.Join(dir, "around.c")
	if err := os.WriteFile(wrapper, []byte(around), 0o600); err != nil {
		return err
	}
	return cmp.Or(filepath.WalkDir(folder, func(source string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(source) != ".c" {
			return err
		}
		name, _ := filepath.Rel(folder, source)
		const gcc = "gcc -g -O1 -static -pthread -w"
		line := gcc + " -Dmain=tested_main -c -o " + path + ".o " + source + " && " + gcc + " -Iguests -o " + path + " " + wrapper + " " + path + ".o"
		if exec.Command("sh", "-c", line).Run() != nil {
			fmt.Printf("%-40s gcc doesn't build it\n", name)
			return nil
		}
		bad = cmp.Or(bad, compare(name, "tso", path, source, nil, ts, runs))
		return nil
	}), bad)
}
