package linux

import (
	"strings"
	"testing"
)

// TestWildGuests: guests that want without end are stopped with the reason, or
// refused what no machine has.
func TestWildGuests(t *testing.T) {
	const head = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n" +
		"static void *child(void *arg) { pause(); return arg; }\n"
	for _, tt := range []struct{ name, body, why string }{
		{"prints", `for (;;) write(1, "aaaaaaaaaaaaaaa\n", 16);`, "prints more than 4096 bytes"},
		{"threads", `for (;;) { pthread_t t; if (pthread_create(&t, NULL, child, NULL)) return 1; }`, "too many threads"},
		{"maps", `for (;;) if (!malloc(1l << 30)) return 0;`, ""},
		{"terabytes", `return malloc(1l << 43) != NULL;`, ""},
		{"writes", `for (;;) { char *p = malloc(1 << 20); if (!p) return 0; p[5] = 1; }`, ""},
		{"forks", `return fork();`, "a new process (clone"},
	} {
		for _, tc := range toolchains[:2] {
			t.Run(tt.name+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				why := tt.why
				if tt.name == "forks" && tc.name == "musl" {
					why = "system call 57 (fork)"
				}
				guest := tc.build(t, head+"int main(void) { "+tt.body+" }\n")
				d := newDriver(t, guest, Config{OutputLimit: 4096, MemoryLimit: 2 << 30, StackLimit: 1 << 20})
				d.run(20_000)
				if !d.over || d.status != 0 || d.signal != 0 || (d.why == "") != (why == "") || !strings.Contains(d.why, why) {
					t.Errorf("over %v, status %d, signal %d, stopped %q", d.over, d.status, d.signal, d.why)
				}
			})
		}
	}
}
