package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
)

// engineProfile is the profile by which the compiler arranges the engine (ENGINE in the Makefile).
const engineProfile = "cmd/landgo-engine/engine.pgo"

// typical are runs in which the engine spends its time as it does for users: many short executions,
// long ones, store buffers, states and samples. Beside them are thread libraries' own code, a kernel,
// and the default.
var typical = []string{
	"--pp mem --search optimal --model sc bin/guests/musl-O2/nwriters-N8",
	"--pp mem --search optimal --model sc bin/guests/musl-O2/micro-N2-K5",
	"--pp mem --search optimal --model sc bin/guests/glibc-O2/indexer-N15",
	"--pp mem --search optimal --model sc bin/guests/musl-O2/fib_bench-N5",
	"--pp mem --search optimal --model sc bin/guests/glibc-O2/mutex_inc-N2-K8",
	"--pp mem --search optimal --model sc bin/guests/musl-O2/ring-N8",
	"--pp mem --search optimal --model tso bin/guests/musl-O2/fib_bench-N3",
	"--pp mem --search optimal --model tso bin/guests/musl-O2/nwriters-N6",
	"--pp mem --search stateful bin/guests/musl-O2/fib_bench-N5",
	"--pp mem --search random bin/guests/musl-O2/micro-N2-K5",
	"--pp mem --search bpor --bound preempt=2 bin/guests/musl-O2/micro-N3-K2",
	"--pp mem bin/guests/pebbles/spin-broadcast",
	"--pp mem bin/guests/pebbles/spin-broadcast",
	"--pp lock,unlock bin/guests/pebbles/queue-broadcast",
	"--pp cli,sti --race off --max-executions 20000 --cmdline test=buffer bin/guests/kernel/kernel",
	"bin/guests/musl-O2/ttas_lock-N4",
	"bin/guests/glibc-O2/ms_queue-N4",
}

// typicalTime limits each.
const typicalTime = "8s"

// profileEngine has the front and the engine in a folder run what is typical. The engine is built
// with the tag profile, and leaves its profiles there.
func profileEngine(folder string) error {
	for _, args := range typical {
		fmt.Println(args)
		line := append(strings.Fields("run --quiet --out none --confine off --time "+typicalTime), strings.Fields(args)...)
		var exit *exec.ExitError
		if err := exec.Command(filepath.Join(folder, "landgo"), line...).Run(); err != nil && !errors.As(err, &exit) {
			return err // a budget that has run out is an exit status
		}
	}
	names, err := filepath.Glob(filepath.Join(folder, "processor-*"))
	if err != nil {
		return err
	}
	var all []*profile.Profile
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p, err := profile.ParseData(b)
		if err != nil {
			fmt.Printf("%s: %v: its engine was ended first\n", name, err)
			continue
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return fmt.Errorf("no engine left a profile in %s: it has to be built with -tags profile", folder)
	}
	merged, err := profile.Merge(all)
	if err != nil {
		return err
	}
	for _, f := range merged.Function {
		f.Filename = "" // the compiler goes by names
	}
	for _, m := range merged.Mapping {
		m.File, m.BuildID = "", ""
	}
	out, err := os.Create(engineProfile)
	if err != nil {
		return err
	}
	defer out.Close()
	return merged.Write(out)
}
