package explore

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/result"
	"landgo/por"
)

// borrowers work on parts as other processes do: each has the configuration and bytes.
type borrowers struct {
	t     *testing.T
	parts atomic.Int64 // done
	turn  chan func(func([]byte) ([]byte, error))
	batch sync.WaitGroup
	ended sync.WaitGroup
	over  chan bool
}

// borrow starts this many.
func borrow(t *testing.T, n int, c config.Config) *borrowers {
	b := &borrowers{t: t, turn: make(chan func(func([]byte) ([]byte, error)))}
	for range n {
		b.ended.Add(1)
		go func() {
			defer b.ended.Done()
			err := Help(context.Background(), c, func(work func([]byte) ([]byte, error)) error {
				for f := range b.turn {
					f(work)
				}
				return nil
			})
			if err != nil {
				t.Errorf("a helper: %v", err)
			}
		}()
	}
	return b
}

// Offer implements Lender. Each third part is lost.
func (b *borrowers) Offer(parts [][]byte, done func(int, []byte)) {
	b.over = make(chan bool)
	over := b.over
	b.batch.Add(1)
	go func() {
		defer b.batch.Done()
		for i := len(parts) - 1; i >= 0; i-- {
			f := func(work func([]byte) ([]byte, error)) {
				text, err := work(parts[i])
				if err != nil {
					b.t.Errorf("a part: %v", err)
					return
				}
				b.parts.Add(1)
				if b.parts.Load()%3 > 0 {
					done(i, text)
				}
			}
			select {
			case b.turn <- f:
			case <-over:
				return
			}
		}
	}()
}

// Over implements Lender.
func (b *borrowers) Over() {
	close(b.over)
	b.batch.Wait()
}

func (b *borrowers) end() {
	close(b.turn)
	b.ended.Wait()
}

// lentProgram has some hundred executions, a race, two outcomes and, with BUG, bugs.
const lentProgram = `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static volatile int x, y, last;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
	long me = (long)p;
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	last = me;
#ifdef BUG
	int seen = y;
	y = seen + 1;
#else
	__atomic_fetch_add(&y, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
#endif
	return 0;
}
int main(void) {
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	printf("%d\\n", last);
	assert(x >= 3);
	assert(y == 3);
	return 0;
}
`

// TestLent: what is reported of a search is the same whether parts of it are done
// elsewhere or not. So it is of one search and of a deepening, with bugs, races, points
// that become finer, outcomes and bounds.
func TestLent(t *testing.T) {
	defer func() { warmUp, unitSteps = 0, 0 }()
	warmUp, unitSteps = 60, 150
	guest := compile.Text(t, "gcc", lentProgram)
	buggy := compile.Text(t, "gcc", lentProgram, "-DBUG")
	parts := int64(0)
	for _, g := range []struct {
		guest, search, bound string
		change               func(*config.Config)
	}{
		{guest, "source", "", func(c *config.Config) { c.Race, c.SelfCheck, c.Coverage = config.RaceHB, true, true }},
		{guest, "trust", "", func(c *config.Config) { c.Coverage = true }},
		{guest, "pct:runs=600", "", nil},
		{guest, "bounded", "preempt=2", nil},
		{guest, "", "", func(c *config.Config) { c.Coverage = true }},
		{buggy, "source", "", func(c *config.Config) { c.KeepGoing, c.FailOnRace = true, true }},
	} {
		c := config.Default()
		c.Guest, c.Out, c.Jobs = g.guest, config.NoFile, 1
		if g.search != "" {
			c.Search, c.Deepen = g.search, false
		}
		if g.bound != "" {
			var err error
			if c.Bounds, err = por.ParseBounds(g.bound); err != nil {
				t.Fatal(err)
			}
		}
		if g.change != nil {
			g.change(&c)
		}
		alone, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := borrow(t, 2, c)
		got, err := RunLent(context.Background(), c, nil, b)
		b.end()
		if err != nil {
			t.Fatal(err)
		}
		if want, got := untimed(t, alone), untimed(t, got); got != want {
			t.Errorf("%s: lent\n%s\nalone\n%s", g.search, got, want)
		}
		if alone.Verdict == result.Invalid {
			t.Errorf("%s: %v", g.search, alone.Reason)
		}
		t.Log(g.search, g.bound, alone.Verdict, alone.Executions, b.parts.Load())
		parts += b.parts.Load()
	}
	if parts < 20 {
		t.Errorf("only %d parts were done elsewhere", parts)
	}
}

// TestPart: a part of another program, or of another landgo, isn't worked on.
func TestPart(t *testing.T) {
	c := config.Default()
	c.Guest = compile.Text(t, "gcc", lentProgram)
	err := Help(context.Background(), c, func(work func([]byte) ([]byte, error)) error {
		for _, text := range [][]byte{nil, []byte("x")} {
			if _, err := work(text); err == nil {
				t.Errorf("%q was worked on", text)
			}
		}
		p := &saved.Part{Format: saved.PartFormat, Version: "another"}
		text, err := p.Pack()
		if err != nil {
			return err
		}
		if _, err := work(text); err == nil {
			t.Error("another landgo's part was worked on")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
