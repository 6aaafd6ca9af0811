package library

import (
	"testing"

	"landgo/emu"
	"landgo/internal/compile"
	"landgo/internal/image"
	"landgo/internal/image/linked"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel/linux"
	"landgo/scheduler"
)

// boot brings a program under control.
func boot(t testing.TB, path string, cfg scheduler.Config, opts Config) (*scheduler.System, *Library) {
	t.Helper()
	img, err := image.Open(path, linked.Search{})
	if err != nil {
		t.Fatal(err)
	}
	mc := emu.Config{Space: linux.DefaultSpace}
	for _, r := range img.Code {
		mc.Code = append(mc.Code, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	m, err := emu.New(mc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if cfg.StepBudget == 0 {
		cfg.StepBudget = 10_000_000
	}
	s := scheduler.New(cfg, m, img)
	l := New(s, opts)
	k, err := linux.New(s.Host(), img.File, linux.Config{Args: []string{"guest"}})
	if err != nil {
		t.Fatal(err)
	}
	regs, err := k.Boot()
	if err != nil {
		t.Fatal(err)
	}
	s.Boot(k, profile.Roles(img.Info, profile.Default(img.Info)), &regs)
	return s, l
}

// ends counts the ends of executions of a full enumeration.
type ends struct{ runs, bugs, stuck, steps int }

// enumerate runs every interleaving, depth first.
func enumerate(t testing.TB, s *scheduler.System) ends {
	root := s.Mark()
	for {
		s.Rewind(root)
		var e ends
		if enumerateFrom(t, s, &e) {
			return e
		}
	}
}

func enumerateFrom(t testing.TB, s *scheduler.System, e *ends) bool {
	k := s.Mark()
	ths := s.Threads(nil)
	ran := false
	for _, th := range ths {
		if th.Status != trace.Ready {
			continue
		}
		for c := uint32(0); c < th.Outcomes; c++ {
			ran = true
			tr, err := s.Step(th.ID, trace.Choice(c))
			if err != nil {
				if tr == nil {
					t.Fatal(err)
				}
				return false // finer: again
			}
			e.steps++
			switch tr.End {
			case trace.EndProcess:
				e.runs++
			case trace.EndBug:
				e.runs++
				e.bugs++
			default:
				if !enumerateFrom(t, s, e) {
					return false
				}
			}
			s.Rewind(k)
		}
	}
	if !ran {
		e.runs++
		if s.Stuck(false) != nil {
			e.stuck++
		}
	}
	return true
}

const lostUpdate = `
#include <pthread.h>
#include <assert.h>
volatile int counter;
void *inc(void *a) { (void)a; int v = counter; counter = v + 1; return 0; }
int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, inc, 0); pthread_create(&b, 0, inc, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	assert(counter == 2);
	return 0;
}`

func TestLostUpdate(t *testing.T) {
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			needsProcessor(t)
			s, _ := boot(t, compile.Text(t, cc, lostUpdate), scheduler.Config{Granularity: scheduler.Granularity{Points: trace.PointMem}}, Config{})
			got := enumerate(t, s)
			// Each thread reads, then writes: C(4,2) = 6 orders, of which 2 are
			// serial. Where the first thread ends before the second, main's join
			// can come at 3 places (once) or 2 (twice): 3 + 4 + 3 runs.
			if got.runs != 10 || got.bugs != 6 || got.stuck != 0 {
				t.Errorf("%+v, want 10 runs with 6 bugs", got)
			}
		})
	}
}

func TestEnumerate(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         ends
	}{
		{"mutex", `
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int n;
void *f(void *a) { (void)a; pthread_mutex_lock(&m); n = n + 1; pthread_mutex_unlock(&m); return 0; }
int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	assert(n == 2);
	return 0;
}`, ends{runs: 4}},
		{"abba", `
#include <pthread.h>
pthread_mutex_t a, b;
void *f(void *p) { (void)p; pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return 0; }
void *g(void *p) { (void)p; pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }
int main(void) {
	pthread_t p, q;
	pthread_create(&p, 0, f, 0); pthread_create(&q, 0, g, 0);
	pthread_join(p, 0); pthread_join(q, 0);
	return 0;
}`, ends{runs: 6, stuck: 2}},
		{"cond", `
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;
void *f(void *p) { (void)p; pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
int main(void) {
	pthread_t p;
	pthread_create(&p, 0, f, 0);
	pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
	pthread_join(p, 0);
	return 0;
}`, ends{runs: 2}},
		{"sem", `
#include <pthread.h>
#include <semaphore.h>
sem_t s, r; volatile int x;
void *f(void *p) { (void)p; sem_wait(&s); x = 1; sem_post(&r); return 0; }
int main(void) {
	pthread_t p; sem_init(&s, 0, 0); sem_init(&r, 0, 0);
	pthread_create(&p, 0, f, 0);
	x = 2; sem_post(&s); sem_wait(&r);
	pthread_join(p, 0);
	return x != 1;
}`, ends{runs: 1}},
		{"xpp", `
#include <pthread.h>
#include <assert.h>
volatile int n;
void *f(void *a) { (void)a; n++; return 0; }
int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	assert(n == 2);
	return 0;
}`, ends{runs: 10, bugs: 6}},
		{"spin", `
#include <pthread.h>
volatile int flag, x;
void *f(void *a) { (void)a; x = 1; flag = 1; return 0; }
int main(void) {
	pthread_t a;
	pthread_create(&a, 0, f, 0);
	while (!flag) ;
	return x != 1;
}`, ends{runs: 3}},
		{"livelock", `
#include <pthread.h>
volatile int p, q;
void *f(void *a) { (void)a; while (!p) ; q = 1; return 0; }
int main(void) {
	pthread_t a;
	pthread_create(&a, 0, f, 0);
	while (!q) ;
	p = 1;
	return 0;
}`, ends{}},
		{"printf", `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
volatile int p;
void *f(void *a) { printf("hello %d\n", p); char *x = malloc(100); x[0] = 1; p = 1; free(x); return 0; }
int main(void) {
	pthread_t a;
	pthread_create(&a, 0, f, 0);
	p = 2;
	printf("main\n");
	pthread_join(a, 0);
	return 0;
}`, ends{runs: 3}},
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			for _, o := range []string{"-O0", "-O2"} {
				t.Run(c.name+"/"+cc+o, func(t *testing.T) {
					needsProcessor(t)
					s, _ := boot(t, compile.Text(t, cc, c.source, o), scheduler.Config{Granularity: scheduler.Granularity{Points: trace.PointMem}}, Config{})
					got := enumerate(t, s)
					got.steps = 0
					if c.name == "livelock" {
						if got.runs == 0 || got.stuck != got.runs {
							t.Errorf("%+v, want all stuck", got)
						}
						return
					}
					if got != c.want {
						t.Errorf("%+v, want %+v", got, c.want)
					}
				})
			}
		}
	}
}
