package explore

import (
	"context"
	"strings"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
)

// leaver ends a run when it has a bug: no cure is looked for.
type leaver struct{ leave func() }

func (leaver) Progress(Progress)     {}
func (leaver) Late(result.ErrorKind) {}
func (l leaver) SoFar(r *result.Result) {
	if len(r.Bugs) > 0 {
		l.leave()
	}
}

// TestSampledBuffers: a bug that buffers make is found where the search with buffers has no end, also
// where that search is the first. A loop stores in each turn there, and so does another thread. So
// it is where the search without buffers takes long.
func TestSampledBuffers(t *testing.T) {
	t.Parallel()
	const stores = `A { z = 0; flag[0] = 1; while (flag[1]) ; in++; assert(in == 1); in--; flag[0] = 0; return p; }
B { again: z = 0; flag[1] = 0; if (flag[0]) goto again; flag[1] = 1; if (flag[0]) goto again; in++; assert(in == 1); in--; flag[1] = 0; return p; } MAIN`
	for name, c := range map[string]struct {
		model  config.Model
		source string
	}{
		"a loop that stores":          {config.ModelAuto, stores},
		"with buffers from the start": {config.ModelTSO, stores},
		"turns that store, for long": {config.ModelAuto, `static volatile int wants[2], enters[2], turn;
static void enter(int i) { wants[i] = 1; l: enters[i] = 0; if (turn != i) { if (!wants[turn]) turn = i; goto l; } enters[i] = 1; if (enters[!i]) goto l; in++; assert(in == 1); in--; enters[i] = 0; wants[i] = 0; }
A { enter(0); return p; } B { enter(1); return p; } MAIN`},
		"a large space": {config.ModelAuto, `static volatile int many[3];
static void *each(void *p) { for (int i = 0; i < 6; i++) __atomic_fetch_add(&many[i % 3], many[(i + 1) % 3] + 1, 5); return p; }
A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; }
int main(void) { pthread_t w[3]; for (int i = 0; i < 3; i++) pthread_create(&w[i], 0, each, 0); RUN assert(r[0] || r[1]); for (int i = 0; i < 3; i++) pthread_join(w[i], 0); return 0; }`},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := onProgram(compile.Text(t, "gcc", bufferHead+c.source))
			cfg.Model, cfg.Time, cfg.Jobs = c.model, 60*time.Second, 1
			ctx, cancel := context.WithCancel(context.Background())
			r, err := Run(ctx, cfg, leaver{cancel})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != result.Buggy || !strings.HasPrefix(r.Certificate.Memory, "x86-TSO") || !strings.HasPrefix(r.Search, "pos") {
				t.Fatalf("%s by %s, memory %s: %s", r.Verdict, r.Search, r.Certificate.Memory, r.Reason)
			}
			again, err := Replay(context.Background(), *cfg.For(&r.Guest, r.Bug), result.NewBugFile(r, r.Bug, cfg.For(&r.Guest, r.Bug).Saved()), nil)
			if err != nil || !again.Replay.Same {
				t.Errorf("the replay: %+v %v", again, err)
			}
		})
	}
}

// keeper counts the results of each verdict.
type keeper map[result.Verdict]int

func (keeper) Progress(Progress)        {}
func (keeper) Late(result.ErrorKind)    {}
func (k keeper) SoFar(r *result.Result) { k[r.Verdict]++ }

// latest keeps a run's latest result, and whether one without a verdict came behind one with.
type latest struct {
	verdict result.Verdict
	lost    bool
}

func (*latest) Progress(Progress)     {}
func (*latest) Late(result.ErrorKind) {}
func (l *latest) SoFar(r *result.Result) {
	l.lost = l.lost || l.verdict == result.Verified && r.Verdict == result.Budget
	l.verdict = r.Verdict
}

// TestSecondSearchKeepsResult: a second search, with buffers or with divided copies, takes nothing from
// the first one's result as long as it has none itself.
func TestSecondSearchKeepsResult(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"buffers": `A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; } MAIN`,
		"copies": `static long two[2]; static int to[2]; A { (void)!write(to[1], two, 16); return p; } B { two[0] = two[1] = 1; return p; }
int main(void) { (void)!pipe(to); RUN return 0; }`,
	} {
		told := &latest{}
		r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", bufferHead+source)), told)
		if err != nil || r.Verdict != result.Verified || told.lost || told.verdict != result.Verified {
			t.Errorf("%s: %+v, %v, told %+v", name, r, err, told)
		}
	}
}

// TestBesideKeepsResult: a run that is late is told by its latest result. Samples without a bug
// are none.
func TestBesideKeepsResult(t *testing.T) {
	t.Parallel()
	for check, want := range map[string]bool{"r[0] + r[1] < 3": false, "r[0] || r[1]": true} {
		cfg := onProgram(compile.Text(t, "gcc", bufferHead+`A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; }
int main(void) { RUN assert(`+check+`); return 0; }`))
		told := keeper{}
		h := &hunt{Session: &session.Session{Clock: limits.StartClock(false)}, obs: told}
		r, err := h.sampleBuffers(context.Background(), cfg)
		if err != nil || (r != nil) != want || (told[result.Buggy] > 0) != want || told[result.Budget] > 0 || told[result.Verified] > 0 {
			t.Errorf("%s: %+v, %v, told %v", check, r, err, told)
		}
	}
}
