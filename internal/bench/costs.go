package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The cost of looking for further errors: the same search with it and without,
// of guests whose spaces are the same either way.

// A cost is something that can be switched off.
type cost struct {
	name    string
	on, off []string
	// guests are rows of the anchors, with musl -O2, or sources that are built
	// for the measurement.
	guests []string
}

var costs = []cost{
	{"heap checks", []string{"--pp", "mem"}, []string{"--pp", "mem", "--no-heap"}, []string{"nwriters-N7", "micro-N2-K3", "mutex_inc-N3-K3", "indexer-N14", "blocks"}},
	{"races", []string{"--pp", "mem"}, []string{"--pp", "mem", "--race", "off"}, raceGuests},
	{"races by happens-before", []string{"--pp", "mem", "--race", "hb"}, []string{"--pp", "mem", "--race", "off"}, raceGuests},
	{"races and heap", []string{"--pp", "mem"}, []string{"--pp", "mem", "--race", "off", "--no-heap"}, raceGuests},
	{"races as bugs", []string{"--pp", "mem", "--fail-on", "race"}, []string{"--pp", "mem", "--race", "off"}, []string{"nwriters-N7", "ring-N8"}},
}

// raceGuests have many accesses, locks, threads, and races.
var raceGuests = []string{"nwriters-N7", "mutex_inc-N2-K8", "ring-N8", "ms_queue-N4", "blocks"}

// blocks allocates, uses and frees at every turn.
const blocks = `
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static volatile int x[3];
static void *f(void *a)
{
	for (int i = 0; i < 3; i++) {
		char *p = malloc(40), *q = calloc(3, 7);
		memset(p, i, 40);
		memcpy(q, p, 21);
		x[i] = x[(i + 1) % 3] + q[i];
		free(p), free(q);
	}
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}`

// measureCosts prints, for each cost, executions a second of the processor's time without and
// with it, the medians of this many pairs of runs.
func measureCosts(runs int) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "blocks")
	if err := os.WriteFile(built+".c", []byte(blocks), 0o600); err != nil {
		return err
	}
	if out, err := exec.Command("musl-gcc", "-g", "-O2", "-static", "-pthread", built+".c", "-o", built).CombinedOutput(); err != nil {
		return fmt.Errorf("musl-gcc: %w\n%s", err, out)
	}
	for _, c := range costs {
		for _, g := range c.guests {
			path := "bin/guests/musl-O2/" + g
			if g == "blocks" {
				path = built
			}
			var ratios []float64
			var with, without sample
			for range runs {
				// One after the other, so that both meet the same load.
				if without, err = measure(append(slices.Clone(c.off), append(slices.Clone(costLimits), path)...)...); err != nil {
					return err
				}
				if with, err = measure(append(slices.Clone(c.on), append(slices.Clone(costLimits), path)...)...); err != nil {
					return err
				}
				if with.Executions != without.Executions || with.Verdict != without.Verdict {
					return fmt.Errorf("%s on %s: %s, %d executions with, %s, %d without", c.name, g, with.Verdict, with.Executions, without.Verdict, without.Executions)
				}
				ratios = append(ratios, perSecond(without)/max(perSecond(with), 1e-9))
			}
			by := middle(ratios)
			goal(strings.TrimSpace(c.name+" on "+g), fmt.Sprintf("%.0f/s without, %.0f/s with: %.2f times the time", perSecond(without), perSecond(with), by), "2.0", by <= 2)
		}
	}
	return nil
}

// costLimits bound what is run of each.
var costLimits = []string{"--max-executions", "20000"}
