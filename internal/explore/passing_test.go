package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestPassing: a bug's story says what comes the other way round in a run that passes, if
// one does.
func TestPassing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, want string }{
		{"a lost update", `
static volatile int x, y;
static void *add(void *a) { y++;
x++; return a; }
int main(void) { GO(t, add); GO(u, add); pthread_join(t, 0); pthread_join(u, 0); assert(x == 2); }`,
			"In a run that passes, thread 0.1 writes x (guest.c:17) before thread 0.2 reads it (guest.c:17); here thread 0.2 comes first."},
		{"two locks", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *there(void *a) { pthread_mutex_lock(&m);
pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return a; }
static void *back(void *a) {
pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return a; }
int main(void) { GO(t, there); GO(u, back); pthread_join(t, 0); pthread_join(u, 0); }`,
			"In a run that passes, thread 0.1 locks n (guest.c:17) before thread 0.2 does (guest.c:19); here thread 0.2 comes first."},
		{"a free too early", `
static int *p;
static void *use(void *a) {
return (void *)(long)*p; }
int main(void) { p = calloc(1, 4); GO(t, use);
free(p); pthread_join(t, 0); }`,
			"In a run that passes, thread 0.1 reads block (allocated at guest.c:18) (guest.c:17) before thread 0 frees the block (guest.c:19); here thread 0 comes first."},
		{"no order near the bug's passes", `
static int has, value, sum; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void put(int v) { pthread_mutex_lock(&m); value = v; has = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); }
static int get(void) {
pthread_mutex_lock(&m); while (!has) pthread_cond_wait(&c, &m); int v = value; has = 0; pthread_mutex_unlock(&m); return v; }
static void *first(void *a) { put(1); return a; }
static void *last(void *a) {
put(2); return a; }
static void *reads(void *a) { for (int v; (v = get()) != 2; ) sum += v; return a; }
int main(void) { GO(t, first); GO(u, last); GO(v, reads); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0); assert(sum == 1); }`,
			"In a run that passes, thread 0.3 locks m (guest.c:18) before thread 0.2 does (guest.c:16); here thread 0.2 comes first."},
		{"a lock of flags under x86-TSO", `
static volatile int flag[2], turn, n;
static void *run(void *a) { long i = (long)a;
flag[i] = 1;
turn = 1 - i; while (flag[1 - i] && turn == 1 - i) ; n++;
flag[i] = 0; return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, run, 0); pthread_create(&u, 0, run, (void *)1); pthread_join(t, 0); pthread_join(u, 0); assert(n == 2); }`,
			"In a run that passes, thread 0.1 flushes turn (guest.c:18) before thread 0.2 does (guest.c:18); here thread 0.2 comes first."},
		{"no run passes", `
static volatile int x;
static void *set(void *a) { x = 1; return a; }
int main(void) { GO(t, set); pthread_join(t, 0); assert(!x); }`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", heapHead+c.source))
			if strings.HasSuffix(c.name, "x86-TSO") {
				cfg.Model = config.ModelTSO
			}
			r, err := Run(context.Background(), cfg, nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%+v %v", r, err)
			}
			if r.Bug.Passing != c.want {
				t.Errorf("%q, want %q", r.Bug.Passing, c.want)
			}
			again, err := Replay(context.Background(), cfg, result.NewBugFile(r, r.Bug, nil), nil)
			if err != nil || again.Bug == nil || again.Bug.Passing != r.Bug.Passing || again.Bug.Mistake != r.Bug.Mistake {
				t.Errorf("the replay says another thing: %+v %v", again, err)
			}
		})
	}
}
