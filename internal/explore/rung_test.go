package explore

import (
	"context"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
)

// A bug above trusted functions is confirmed in the library as it is: its schedule is
// followed by a guest that trusts nothing, to the same bug. A mistake of what a rung trusts
// isn't one of the rung's, and a library that opens a trusted object by hand makes none.
func TestRungs(t *testing.T) {
	const (
		confirmed = "a confirmed bug"
		clean     = "no bug"
		aside     = "it steps aside"
		absent    = "nothing that it trusts is called"
	)
	for _, c := range []struct {
		guest string
		kind  string   // of the bugs that are confirmed
		rungs []string // the outcome of each: mutex; cond too; sem too; sem alone
	}{
		{"queue-cond_unlocks_first-cond", "deadlock", []string{confirmed, clean, absent}},
		{"spin-broadcast_one-broadcast", "deadlock", []string{confirmed, clean, absent}}, // its threads begin in a lock
		{"queue-park_once-signal", "assertion", []string{confirmed, clean, absent}},
		{"spin-mutex_plain-mutex", "", []string{aside, absent, absent}},
		{"queue-cond", "", []string{clean, clean, absent}},
		{"spin-cond_lost_wakeup-cond", "", []string{aside, aside, absent}}, // the end of its threads opens a mutex by hand
		{"spin-sem_if-sem", "", []string{aside, aside, aside, clean}},
		{"queue-sem_twice-sem", "assertion", []string{confirmed, absent, clean, clean}},
		{"twice", "assertion", []string{confirmed, absent, confirmed, confirmed}},
		{"stolen", "deadlock", []string{confirmed, confirmed, absent}},
	} {
		t.Run(c.guest, func(t *testing.T) {
			t.Parallel()
			var guest string
			if text := ownMistakes[c.guest]; text != "" {
				guest = forPebbles(t, "-m64", text, "queue")
			} else {
				guest = compile.Guest(t, "pebbles", c.guest)
			}
			d := laddered(t, guest, "", "")
			for i, want := range c.rungs {
				d.found, d.seen = nil, map[string]*finding{}
				at := i
				if i == 3 {
					at = slices.IndexFunc(d.ladder, func(r *rung) bool { return slices.Equal(r.trust, []string{"sem"}) })
				}
				r, got := d.ladder[at], absent
				if r.begun() {
					r.end()
					r.take(d)
					switch {
					case r.aside():
						got = aside
					case len(d.found) > 0:
						got = confirmed
						d.replays(t, c.kind)
					case r.doubt != nil:
						got = "a doubt: " + r.doubt.key
					default:
						got = clean
					}
				}
				if got != want {
					t.Errorf("trusting %v: %s (%v); want %s", r.trust, got, r.begun() && r.aside(), want)
				}
			}
		})
	}
}

// ownMistakes are programs with a mistake of their own, above a library that is right.
var ownMistakes = map[string]string{
	// Between two turns of the semaphore another thread can have one.
	"twice": `#include "thread.h"
		static sem_t turn, over;
		static int balance;
		static void *deposit(void *arg) {
			sem_wait(&turn);
			int b = balance;
			sem_signal(&turn);
			sem_wait(&turn);
			balance = b + 1;
			sem_signal(&turn);
			sem_signal(&over);
			vanish();
		}
		int main(void) {
			thr_init(PAGE_SIZE);
			sem_init(&turn, 1);
			sem_init(&over, 0);
			assert(thr_create(deposit, NULL) > 0);
			assert(thr_create(deposit, NULL) > 0);
			sem_wait(&over);
			sem_wait(&over);
			assert(balance == 2);
			return 0;
		}`,
	// Where the other thread has taken the item, the waiter waits for ever.
	"stolen": `#include "thread.h"
		static mutex_t lock;
		static cond_t more;
		static int items;
		static void *take(void *arg) {
			mutex_lock(&lock);
			if (items == 0)
				cond_wait(&more, &lock);
			assert(items > 0);
			items--;
			mutex_unlock(&lock);
			vanish();
		}
		static void *grab(void *arg) {
			mutex_lock(&lock);
			if (items > 0)
				items--;
			mutex_unlock(&lock);
			vanish();
		}
		int main(void) {
			thr_init(PAGE_SIZE);
			mutex_init(&lock);
			cond_init(&more);
			assert(thr_create(take, NULL) > 0);
			assert(thr_create(grab, NULL) > 0);
			mutex_lock(&lock);
			items++;
			mutex_unlock(&lock);
			cond_signal(&more);
			return 0;
		}`,
}

// laddered is a deepening whose rungs have run.
func laddered(t *testing.T, guest, cmdline, profile string) *deepening {
	cfg := config.Default()
	if profile != "" {
		cfg.Profile = &config.Profile{Path: "kernel.yaml", Text: profile}
	}
	cfg.Guest, cfg.Out, cfg.Cmdline = guest, config.NoFile, cmdline
	w := limits.Begin(context.Background(), &cfg, nil)
	t.Cleanup(w.Close)
	s, err := session.Open(cfg, w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d := newDeepening(&hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}})
	t.Cleanup(d.endRungs)
	for turns := 0; turns < 150; turns++ {
		d.climb()
		r := d.ladder.next()
		if r == nil {
			break
		}
		r.run(d.pace(boundedSlice))
	}
	return d
}

// replays checks that the schedule of a bug ends in it.
func (d *deepening) replays(t *testing.T, kind string) {
	f := d.found[0]
	_, failure, err := d.FollowAll(f.schedule)
	if err != nil || failure == nil || string(failure.Kind) != kind || d.key(failure) != f.key {
		t.Errorf("the schedule ends with %v, %v; want %s", failure, err, f.key)
	}
}
