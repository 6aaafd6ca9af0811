package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// TestWakings: a story says which threads a call woke, which signal none heard, and what
// the thread that failed did last.
func TestWakings(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", heapHead+`
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int go, *item;
static void *wait(void *a) { pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); *item = 5; assert(*item != 5); return a; }
int main(void)
{
	item = malloc(16);
	GO(t, wait);
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_cond_signal(&c);
	*item = 5;
	pthread_join(t, 0);
}`)), nil)
	if err != nil || r.Bug == nil || len(r.Bug.Steps) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	var said []string
	for _, s := range r.Bug.Steps {
		for _, w := range s.Wakings {
			said = append(said, fmt.Sprint(w.Thread, " ", w.Does, " ", w.Wakes))
		}
	}
	woken := []string{"0 signals c [0.1]", "0 signals c []"}
	unheard := []string{"0 signals c []", "0 signals c []"}
	if got := fmt.Sprint(said); got != fmt.Sprint(woken) && got != fmt.Sprint(unheard) {
		t.Errorf("%s", got)
	}
	if n := len(r.Bug.Last); n == 0 {
		t.Fatal("nothing of what the thread did last")
	}
	last := r.Bug.Last[len(r.Bug.Last)-1]
	if want := "block (allocated at guest.c:21)"; last.Thread != "0.1" || last.Old != "5" || last.Symbol != want {
		t.Errorf("it was %+v, want a read of %s", last, want)
	}
	pointer := func(a result.Access) bool { return a.Symbol == "item" && a.Old == "&block of guest.c:21" }
	if !slices.ContainsFunc(r.Bug.Last, pointer) {
		t.Errorf("before it %+v, want a read of item", r.Bug.Last)
	}
}

// TestLastWakings: what the thread that fails has signalled last is named by its block, too.
func TestLastWakings(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", heapHead+`
static struct state { int on; pthread_cond_t c; } *volatile s;
static void *idle(void *a) { return s ? a : 0; }
int main(void)
{
	s = calloc(1, sizeof *s);
	GO(t, idle);
	pthread_cond_signal(&s->c);
	assert(s->on);
	pthread_join(t, 0);
}`)), nil)
	if err != nil || r.Bug == nil || len(r.Bug.LastWakings) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if w, want := r.Bug.LastWakings[0], "signals state.c (allocated at guest.c:19)"; w.Does != want {
		t.Errorf("it %s, want %s", w.Does, want)
	}
}
