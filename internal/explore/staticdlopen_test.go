package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// TestStaticDlopen: a static program that loads a library is none that landgo can run, and no
// bug of the program. One that calls it for a name that is no library's goes on.
func TestStaticDlopen(t *testing.T) {
	t.Parallel()
	const head = "#include <dlfcn.h>\n#include <pthread.h>\n#include <fcntl.h>\n#define KEEP(p) __asm__ volatile(\"\" :: \"r\"(p))\n"
	r := ran(t, onProgram(compile.Text(t, "gcc", head+`
static void *w(void *a) { void *h = dlopen("libm.so.6", RTLD_NOW); return h ? 0 : a; }
int main(void) { pthread_t t; void *r; pthread_create(&t, 0, w, (void *)1); pthread_join(t, &r); return r != 0; }
`)))
	if r.Verdict != result.Invalid || !strings.Contains(r.Reason, `dlopen("libm.so.6") in a static program`) || !strings.Contains(r.Reason, "without -static") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	for _, body := range []string{`void *h = dlopen("plugin", RTLD_NOW); return h != 0;`, `KEEP(&dlopen); return open("notes.txt", O_RDONLY) >= 0;`} {
		if r := ran(t, onProgram(compile.Text(t, "gcc", head+"int main(void) { pthread_t t = 0; (void)t; "+body+" }\n"))); r.Verdict != result.Verified {
			t.Errorf("%s: %s: %s", body, r.Verdict, r.Reason)
		}
	}
}
