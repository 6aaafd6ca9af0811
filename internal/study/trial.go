package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// A contestant is one of the ways to search that are compared.
type contestant struct {
	name  string
	about string
	args  []string
}

// The bound of the preemption-bounded searches is one that no test reaches: it
// is raised from 0 until a bug is found or nothing was cut off.
const anyBound = "preempt=99"

var (
	deepDefault = contestant{"default", "landgo's default: deepening from every access", []string{"--race", "limited"}}
	deepLimited = contestant{"deep-limited", "deepening, limited happens-before", []string{"--candidates-only", "--race", "limited"}}
	deepPure    = contestant{"deep-hb", "deepening, pure happens-before", []string{"--candidates-only", "--race", "hb"}}
	deepSync    = contestant{"deep-sync", "deepening, no data-race points", []string{"--sync-only"}}
	singleDPOR  = contestant{"optimal", "one space, optimal DPOR, {yield,lock,unlock}", []string{"--race", "off", "--pp", "yield,lock,unlock", "--search", "optimal"}}
	singleBPOR  = contestant{"bpor", "one space, BPOR by preemptions, {yield,lock,unlock}", []string{"--race", "off", "--pp", "yield,lock,unlock", "--search", "bpor", "--bound", anyBound}}
	everyAccess = contestant{"mem", "every access, optimal DPOR", []string{"--race", "off", "--pp", "mem", "--search", "optimal"}}
	memBPOR     = contestant{"mem-bpor", "every access, BPOR by preemptions", []string{"--race", "off", "--pp", "mem", "--search", "bpor", "--bound", anyBound}}
)

// contestants in the order of the tables.
var contestants = []contestant{deepDefault, deepLimited, deepPure, deepSync, singleDPOR, singleBPOR, everyAccess, memBPOR}

// Those that only say what a pair is.
var (
	// states is a search of another kind: it stores states and reorders nothing.
	states = contestant{"states", "every access, states stored", []string{"--race", "off", "--pp", "mem", "--search", "stateful:sleep=0"}}
	// calm runs what needs no preemption.
	calm = contestant{"calm", "every access, no preemption", []string{"--race", "off", "--pp", "mem", "--search", "bounded", "--bound", "preempt=0"}}
)

// byClock is deep-limited with several workers, measured by the clock on the wall, for
// the paper's Figure 7(b). The others have one thread, so their clock is the
// processor's.
var byClock = contestant{"clock", "deepening, limited happens-before, two workers", append([]string{"--jobs", fmt.Sprint(clockWorkers)}, deepLimited.args...)}

const clockWorkers = 2

// A trial is a contestant's result on one pair.
type trial struct {
	Pair       string  `json:"pair"`
	Contestant string  `json:"contestant"`
	Budget     float64 `json:"budget"` // seconds of the processor
	Landgo     string  `json:"landgo"` // digest of the program that ran

	Verdict     result.Verdict   `json:"verdict"`
	Problem     result.ErrorKind `json:"problem,omitempty"`
	Reason      string           `json:"reason,omitempty"`
	Kind        trace.BugKind    `json:"kind,omitempty"`
	Message     string           `json:"message,omitempty"`
	Preemptions int              `json:"preemptions"`
	Executions  uint64           `json:"executions"`
	Found       float64          `json:"found"` // seconds of the processor until the search ended
	Seconds     float64          `json:"seconds"`
	Unexamined  uint64           `json:"unexamined"`
	Granularity string           `json:"granularity"`
	Recycled    uint64           `json:"recycled,omitempty"`
	Jobs        []result.Job     `json:"jobs,omitempty"` // of a deepening
}

// fault is the verdict of a landgo that failed itself.
const fault result.Verdict = "fault"

func (t trial) bug() bool      { return t.Verdict == result.Buggy }
func (t trial) verified() bool { return t.Verdict == result.Verified }

var errMissing = errors.New("not done yet")

// try runs a contestant on a program, or takes what an earlier run of the same
// landgo found.
func (l *lab) try(p pair, program string, c contestant, budget float64) (trial, error) {
	path := filepath.Join(l.scratch, "trials", p.name(), fmt.Sprintf("%s-%gs.json", c.name, budget))
	var t trial
	if text, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(text, &t); err == nil && (t.Landgo == l.landgoHash || l.stale) {
			return t, nil
		}
	}
	if l.cached {
		return t, errMissing
	}
	args := []string{"run", "--json", "--quiet", "--out", "none", "--memory", "2G", "--time", fmt.Sprintf("%gs", budget)}
	workers := "GOMAXPROCS=1"
	if c.name == byClock.name {
		workers = fmt.Sprintf("GOMAXPROCS=%d", clockWorkers)
	} else {
		args = append(args, "--processor-time")
	}
	args = append(append(args, p.args()...), c.args...)
	if p.kernel() { // its points of synchronisation are more
		for i := range args {
			args[i] = strings.Replace(args[i], "yield,lock,unlock", "yield,lock,unlock,cli,sti", 1)
		}
	}
	// A machine that is so busy, or a landgo that doesn't look at its clock.
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(60+60*budget)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.landgo, append(args, program)...)
	cmd.Env = append(os.Environ(), workers)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return t, err
	}
	var r result.Result
	if ctx.Err() != nil {
		// It counts as one that found nothing, and is tried again next time.
		l.fail("%s: %s didn't end by its clock of the processor within %.0f s", p.name(), c.name, 60+60*budget)
		return trial{Pair: p.name(), Contestant: c.name, Verdict: result.Budget, Found: budget}, nil
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		// No verdict is a finding too. It isn't kept: the next landgo may have one.
		err = fmt.Errorf("landgo %s %s: exit %d: %s", strings.Join(args, " "), program, cmd.ProcessState.ExitCode(), strings.TrimSpace(errs.String()))
		if cmd.ProcessState.ExitCode() == 5 {
			l.fail("%v", err)
			return trial{Pair: p.name(), Contestant: c.name, Verdict: fault, Reason: err.Error()}, nil
		}
		return t, err
	}
	t = trial{
		Pair: p.name(), Contestant: c.name, Budget: budget, Landgo: l.landgoHash,
		Verdict: r.Verdict, Problem: r.Problem, Reason: r.Reason, Executions: r.Executions,
		Found: r.SearchSeconds, Seconds: r.Seconds, Unexamined: r.Unexamined, Granularity: r.Granularity,
		Recycled: r.RacesRecycled, Jobs: r.Jobs,
	}
	if r.Bug != nil {
		t.Kind, t.Message, t.Preemptions = r.Bug.Kind, r.Bug.Message, r.Bug.Preemptions
	}
	text, err := json.Marshal(t)
	if err != nil {
		return t, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return t, err
	}
	// Whole or not at all: the study may be stopped at any time.
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return t, err
	}
	return t, os.Rename(path+".new", path)
}

func digest(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}
