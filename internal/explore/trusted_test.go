package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestTrustedSharing: two threads' calls of stdio that meet in the program's memory
// depend on each other, also where no other thread touches it while there are threads.
func TestTrustedSharing(t *testing.T) {
	t.Parallel()
	for _, program := range []string{`
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char b[8];
static void *f(void *a) { sprintf(b, "%d", 1); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); sprintf(b, "%d", 2); pthread_join(t, 0); if (b[0] == FIRST) abort(); return 0; }
`, `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *f(void *a) { sprintf(a, "%d", 1); return a; }
int main(void) {
	pthread_t t;
	char b[8];
	pthread_create(&t, 0, f, b);
	sprintf(b, "%d", 2);
	pthread_join(t, 0);
	if (b[0] == FIRST) abort();
	return 0;
}
`, `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char b[40];
static void *f(void *a) { snprintf(b + 17, 9, "%d", 1); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); sprintf(b, "%d%d", 1000000000, 1222222222); pthread_join(t, 0); if (b[17] == FIRST) abort(); return 0; }
`, `
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static int n[16], k;
static void take(const char *s, const char *f, ...) { va_list l; va_start(l, f); vsscanf(s, f, l); va_end(l); }
static void *f(void *a) { int k; take("% 0 1 2 3 49", "%% %d %d %d %d %d", &k, &k, &k, &k, n); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); take("0 1 2 3 50", "%d %d %d %d %d", &k, &k, &k, &k, n); pthread_join(t, 0); if (n[0] == FIRST) abort(); return 0; }
`, `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int n;
static void *f(void *a) { sscanf("0 49", "%*d %d", &n); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); sscanf("50", "%d", &n); pthread_join(t, 0); if (n == FIRST) abort(); return 0; }
`, `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char b[8];
static void *f(void *a) { FILE *o = fmemopen(b, 8, "w"); fputs("1", o); fclose(o); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); FILE *o = fmemopen(b, 8, "w"); fputs("2", o); fclose(o); pthread_join(t, 0); if (b[0] == FIRST) abort(); return 0; }
`} {
		for _, first := range []string{"#define FIRST '1'", "#define FIRST '2'"} {
			cfg := config.Default()
			cfg.Guest, cfg.Out = compile.Text(t, "gcc", first+program), config.NoFile
			for _, pp := range []trace.Points{trace.MemPoints, cfg.PP} {
				cfg.PP = pp
				r, err := Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Finish(); r.Verdict != result.Buggy || r.Bug.Kind != trace.Assertion {
					t.Errorf("%s, %v: %s", first, pp, r.Verdict)
				}
			}
		}
	}
}
