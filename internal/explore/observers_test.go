package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"landgo/guests/random"
	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// sights are how executions end for the threads: what each of them has read, and bugs. Memory
// that only stores made isn't among it.
type sights struct {
	ends
	at, size uint64
}

func (e *sights) Ended(x *por.Execution) bool {
	if x.Ending == por.EndedBlocked || x.Ending == por.EndedPruned {
		return true
	}
	h := hunt{Session: e.Session}
	end := fmt.Sprintf("%x", e.Machine.Bytes(e.at, e.size))
	if f := h.failureAt(x); f != nil {
		end = h.key(f)
	}
	e.states[end]++
	e.executions++
	return true
}

// sighted explores a random program up to a number of executions, over the steps of
// search observers.
func sighted(t *testing.T, search string, c config.Config, limit uint64) (*sights, bool, error) {
	c.Search = "observers"
	s, err := session.Open(c, nil)
	if err != nil {
		return nil, false, err
	}
	defer s.Close()
	seen, ok := s.Image.File.Symbol("seen")
	if !ok {
		t.Fatal("the program has no variable for what it sees")
	}
	e := &sights{ends{Session: s, states: map[string]int{}}, seen.Addr, seen.Size}
	engine, err := por.New(search, por.Options{EndsAnywhere: true, OneEvent: true, Unmerged: true, MaxExecutions: limit})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := engine.Run(s.Guest, e)
	return e, stats.Complete, err
}

// TestRandomObservers: on random C programs search observers finds all that threads read, and
// all bugs, that exhaustive search finds. LANDGO_SOAK_GUESTS and the others as in
// TestRandomPrograms.
func TestRandomObservers(t *testing.T) {
	t.Parallel()
	seed, n, only, soak := randomRun(t, 7, 60)
	limit := uint64(1500)
	if soak {
		limit = 3000
	}
	compared, fewer := 0, 0
	var guest string
	for i := range n {
		if i%randomBatch == 0 {
			guest = compileRandom(t, []string{"musl-gcc", "gcc"}[i/randomBatch%2], seed+uint64(i/randomBatch), min(randomBatch, n-i))
		}
		if only >= 0 && i != only {
			continue
		}
		c := config.Default()
		c.Guest, c.Args, c.PP = guest, []string{strconv.Itoa(i % randomBatch)}, trace.MemPoints
		want, complete, err := sighted(t, "none", c, limit)
		if err != nil || !complete {
			continue
		}
		got, complete, err := sighted(t, "observers", c, 3*limit)
		compared++
		if err != nil || !complete || got.executions > want.executions || !slices.Equal(ending(&got.ends), ending(&want.ends)) {
			t.Errorf("seed %d, program %d: complete %v, error %v, %d executions of %d\n got %v\nwant %v\n%s",
				seed, i, complete, err, got.executions, want.executions, slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states)),
				random.Program(seed+uint64(i/randomBatch), i%randomBatch))
		}
		if got.executions < want.executions {
			fewer++
		}
	}
	t.Logf("%d compared, %d in fewer executions", compared, fewer)
	if only < 0 && compared < n/6 {
		t.Errorf("%d of %d programs compared: the test tests little", compared, n)
	}
}

// observed is a program of n threads that store to one variable, with a store that nothing
// reads but what READ is.
const observed = `
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static volatile int x;
static void *writer(void *a) { x = (int)(intptr_t)a; return 0; }
int main(void)
{
	pthread_t t[5];
	for (intptr_t i = 0; i < 5; i++)
		pthread_create(&t[i], 0, writer, (void *)(i + 1));
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], 0);
	READ
	return 0;
}
`

// TestObserversOnGuests: five stores have one order if nothing reads them, five outcomes if main
// does, though it is alone then. The bug that one of these has is found, its file replays, and
// the race of two stores is reported.
func TestObserversOnGuests(t *testing.T) {
	for _, tt := range []struct {
		read       string
		executions uint64
		verdict    result.Verdict
	}{
		{"", 1, result.Budget}, // it proves nothing
		{"assert(x);", 5, result.Budget},
		{"assert(x != 2);", 0, result.Buggy},
	} {
		c := config.Default()
		c.Guest = compile.Text(t, "musl-gcc", "#define READ "+tt.read+"\n"+observed)
		c.Search, c.PP, c.Model, c.Out = "observers", trace.MemPoints, config.ModelSC, config.NoFile
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != tt.verdict || tt.executions > 0 && r.Executions != tt.executions {
			t.Errorf("%q: %v after %d executions, want %v after %d", tt.read, r.Verdict, r.Executions, tt.verdict, tt.executions)
		}
		if tt.verdict == result.Budget && (len(r.Races) != 1 || r.Races[0].Class != "untested") {
			t.Errorf("%q: races %+v", tt.read, r.Races)
		}
	}
}
