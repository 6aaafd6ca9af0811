package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestByHandAll: choosing every thread everywhere reaches as many executions as a search
// without a reduction, and to as many bugs.
func TestByHandAll(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"glibc-O1/lost_update", "musl-O2/deadlock_two", "glibc-O1/signal_first", "musl-O1/if_not_while", "glibc-O1/missed_broadcast", "glibc-O1/two_preemptions", "glibc-O1/race_heap", "glibc-O1/early_exit", "glibc-O1/freed_buffer"} {
		t.Run(name, func(t *testing.T) {
			c := onProgram(compile.Guest(t, name))
			c.PP, c.Deepen, c.Search, c.KeepGoing = trace.MemPoints, false, "none", true
			c.MaxExecutions = 2000
			want, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want.Verdict == result.Budget || want.Verdict == result.Invalid {
				t.Fatalf("%s: %s", want.Verdict, want.Reason)
			}
			c.MaxExecutions = 0
			var ends uint64
			bugs := map[string]bool{}
			byHand(t, c, &result.BugFile{}, func(chooser debugger.Chooser) error {
				var all func(depth int) error
				all = func(depth int) error {
					v, err := chooser.Choose(debugger.Move{Verb: debugger.DoGo, At: depth})
					if err != nil {
						return err
					}
					if v.Over != "" {
						ends++
						bugs[v.Bug] = true
						return nil
					}
					for _, l := range v.Lanes {
						for o := range l.Outcomes {
							if !l.Ready {
								continue
							}
							if _, err := chooser.Choose(debugger.Move{Verb: debugger.DoStep, Thread: l.Thread, Outcome: o}); err != nil {
								return err
							}
							if err := all(depth + 1); err != nil {
								return err
							}
							if _, err := chooser.Choose(debugger.Move{Verb: debugger.DoGo, At: depth}); err != nil {
								return err
							}
						}
					}
					return nil
				}
				return all(0)
			})
			delete(bugs, "")
			if ends != want.Executions || (len(bugs) > 0) != (want.Bug != nil) {
				t.Errorf("by hand %d executions, ends %v; the search has %d, and %v", ends, bugs, want.Executions, want.Bug)
			}
		})
	}
}

// byHand opens a run, and has it used.
func byHand(t *testing.T, c config.Config, file *result.BugFile, choose func(debugger.Chooser) error) {
	t.Helper()
	used := false
	_, err := ByHand(context.Background(), c, file, nil, func(chooser debugger.Chooser) error {
		used = true
		return choose(chooser)
	})
	if err != nil || !used {
		t.Errorf("used %v: %v", used, err)
	}
}

// TestByHand: in each kind of guest, from its beginning and along a bug's schedule, a
// position has one state, however it was reached. What-if and moves that fail change
// nothing, and undo takes choices back. A run that is saved ends in its replay as it did.
func TestByHand(t *testing.T) {
	t.Parallel()
	configs := map[string]config.Config{"kernel": kernelConfig(kernelBuilt(t, "kernel-release_off"), "lock", "mem")}
	for _, name := range []string{"glibc-O1/lost_update", "musl-O2/deadlock_two", "glibc-O1/use_after_free", "pebbles-i386/queue-cond_unlocks_first-cond"} {
		configs[name] = onProgram(compile.Guest(t, name))
	}
	buffers := onProgram(compile.Guest(t, "glibc-O1/lost_update"))
	buffers.Model = config.ModelTSO
	configs["buffers"] = buffers
	drains := onProgram(compile.Text(t, "gcc", bufferHead+`A { x = 1; EVERYWHERE; r[0] = z; return p; } B { y = 1; r[1] = x; return p; } C { z = 1; r[2] = y; return p; }
int main(void) { pthread_t w; pthread_create(&w, 0, c, 0); RUN pthread_join(w, 0); assert(r[0] || r[1] || r[2]); return 0; }`))
	drains.Model = config.ModelTSO
	configs["a fence for all buffers"] = drains
	for name, c := range configs {
		t.Run(name, func(t *testing.T) {
			byHand(t, c, &result.BugFile{}, func(chooser debugger.Chooser) error { return strolls(t, c, chooser) })
			r, err := Run(context.Background(), c, nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%v, %+v", err, r)
			}
			own := *c.For(&r.Guest, r.Bug)
			byHand(t, own, &result.BugFile{Schedule: r.Bug.Schedule, Kind: r.Bug.Kind, Message: r.Bug.Message}, func(chooser debugger.Chooser) error {
				return leads(t, own, chooser, r.Bug)
			})
		})
	}
}

// leads goes along a bug's schedule, and strolls from there.
func leads(t *testing.T, c config.Config, chooser debugger.Chooser, bug *result.Bug) error {
	v, err := chooser.Choose(debugger.Move{Verb: debugger.DoSave})
	if err != nil {
		return err
	}
	if v.Saved.Kind != string(bug.Kind) || v.Saved.Message != bug.Message {
		t.Errorf("saved as it was opened, it is %+v", v.Saved)
	}
	v, err = chooser.Choose(debugger.Move{Verb: debugger.DoGo, At: v.Kept + len(v.Steps)})
	if err != nil {
		return err
	}
	if v.Over == "" || v.Bug == "" {
		t.Errorf("the run doesn't end with its bug: %+v", v)
	}
	if _, err := chooser.Choose(debugger.Move{Verb: debugger.DoGo, At: v.At / 2}); err != nil {
		return err
	}
	return strolls(t, c, chooser)
}

// strolls makes moves at random, and checks them.
func strolls(t *testing.T, c config.Config, chooser debugger.Chooser) error {
	random := rand.New(rand.NewSource(7))
	v, err := chooser.Choose(debugger.Move{Verb: debugger.DoLook})
	if err != nil {
		return err
	}
	look := func() (string, error) {
		v, err := chooser.Choose(debugger.Move{Verb: debugger.DoLook})
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(v)
		return string(text), err
	}
	for n := 0; v.Over == "" && n < 60; n++ {
		var ready []debugger.Lane
		for _, l := range v.Lanes {
			if l.Ready {
				ready = append(ready, l)
			} else if _, err := chooser.Choose(debugger.Move{Verb: debugger.DoStep, Thread: l.Thread}); err == nil {
				t.Errorf("thread %s, which %s, took a step", l.Thread, l.About)
			}
		}
		l := ready[random.Intn(len(ready))]
		if n%16 == 3 {
			if _, err := chooser.Choose(debugger.Move{Verb: debugger.DoWhatIf, Thread: l.Thread}); err != nil {
				return err
			}
			again, err := chooser.Choose(debugger.Move{Verb: debugger.DoLook})
			if err != nil {
				return err
			}
			if again.At != v.At { // it has taught something: the steps are other ones
				v = again
				continue
			}
		}
		before, err := look()
		if err != nil {
			return err
		}
		if v, err = chooser.Choose(debugger.Move{Verb: debugger.DoStep, Thread: l.Thread, Outcome: uint32(random.Intn(int(l.Outcomes)))}); err != nil {
			return err
		}
		if n%8 != 0 || len(v.Told) > 0 {
			continue
		}
		after, err := look()
		if err != nil {
			return err
		}
		for _, m := range []debugger.Move{{Verb: debugger.DoGo, At: v.At / 2}, {Verb: debugger.DoGo, At: v.At}, {Verb: debugger.DoUndo}} {
			if _, err := chooser.Choose(m); err != nil {
				return err
			}
			now, err := look()
			if err != nil {
				return err
			}
			if want := map[debugger.Verb]string{debugger.DoUndo: before, debugger.DoGo: after}[m.Verb]; m.At != v.At/2 && now != known(want, now) {
				t.Errorf("after %+v:\n%s\nbefore:\n%s", m, now, want)
			}
		}
		if v, err = chooser.Choose(debugger.Move{Verb: debugger.DoStep, Thread: l.Thread}); err != nil {
			return err
		}
	}
	v, err = chooser.Choose(debugger.Move{Verb: debugger.DoSave})
	if err != nil {
		return err
	}
	file := &result.BugFile{Schedule: v.Saved.Schedule, Kind: trace.BugKind(v.Saved.Kind), Message: v.Saved.Message}
	r, err := Replay(context.Background(), c, file, nil)
	if err != nil {
		return err
	}
	if (r.Bug != nil) != (v.Saved.Kind != "") || r.Bug != nil && !r.Replay.Same {
		return fmt.Errorf("saved as %+v, the replay ends as %s %s", v.Saved, r.Verdict, r.Reason)
	}
	return nil
}

// known is a view without the threads that another one doesn't know yet: their numbers stay.
func known(want, now string) string {
	var a, b debugger.View
	if json.Unmarshal([]byte(want), &a) != nil || json.Unmarshal([]byte(now), &b) != nil {
		return "no view"
	}
	for n := len(a.Lanes); n < len(b.Lanes) && !b.Lanes[n].Live; n++ {
		a.Lanes = append(a.Lanes, b.Lanes[n])
	}
	for i := range a.Lanes {
		if a.Lanes[i].Root == "" && i < len(b.Lanes) {
			a.Lanes[i].Root = b.Lanes[i].Root // which is found when the thread first runs
		}
	}
	text, _ := json.Marshal(&a)
	return string(text)
}
