package session

import (
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/image"
	"landgo/internal/image/linked"
	"landgo/internal/trace"
)

// bare compiles assembly text into a guest without a C library.
func bare(t *testing.T, text string, flags ...string) string {
	t.Helper()
	return compile.Assembly(t, ".globl _start\n"+text+"\n mov $60, %eax\n syscall\n.data\nword: .quad 0\n", flags...)
}

const (
	// plain has neither a lock nor a locked instruction.
	plain = "_start: mov word, %rax\n xchg %rax, %rbx"
	// locks has one, with symbols' sizes and without.
	locks    = "_start: lock incq word"
	exchange = ".type _start, @function\n_start: xchg %rax, word(%rip)\n.size _start, .-_start"
	// acquires has a mutex, by its name, and nothing that releases it.
	acquires = "_start: call pthread_mutex_lock\n jmp 1f\n.globl pthread_mutex_lock\n.type pthread_mutex_lock, @function\npthread_mutex_lock: ret\n.size pthread_mutex_lock, .-pthread_mutex_lock\n1:"
)

// TestPointless: a kind of point that can't be anywhere in the guest is refused
// by name, and no other is.
func TestPointless(t *testing.T) {
	t.Parallel()
	guests := map[string]string{
		"plain": bare(t, plain), "plain, stripped": bare(t, plain, "-s"),
		"locks": bare(t, locks), "locks, stripped": bare(t, locks, "-s"),
		"exchange": bare(t, exchange), "exchange, stripped": bare(t, exchange, "-s"),
		"acquires": bare(t, acquires),
		// musl links no mutex into a program that uses none; glibc always does.
		"musl": compile.File(t, "musl-gcc", "../../../guests/linux/deadlock_two.c", "-O2"), "musl, no mutex": compile.File(t, "musl-gcc", "../../../guests/linux/lost_update.c", "-O2"),
		"glibc": compile.File(t, "gcc", "../../../guests/linux/deadlock_two.c", "-O1"), "glibc, no mutex": compile.File(t, "gcc", "../../../guests/linux/lost_update.c", "-O1"),
		"musl, stripped": compile.File(t, "musl-gcc", "../../../guests/linux/lost_update.c", "-O2", "-s"), "glibc, stripped": compile.File(t, "gcc", "../../../guests/linux/lost_update.c", "-O1", "-s"),
	}
	for name, path := range guests {
		img, err := image.Open(path, linked.Search{})
		if err != nil {
			t.Fatal(err)
		}
		for list, refused := range map[string]string{
			"cli": "every", "sti": "every", "race": "every",
			"lock": "plain; plain, stripped; musl, no mutex", "unlock": "plain; plain, stripped; acquires; musl, no mutex", "atomic": "plain; plain, stripped; acquires",
			"yield": "", "mem": "", "lock,mem": "",
		} {
			points, _, err := trace.ParsePoints(list)
			if err != nil {
				t.Fatal(err)
			}
			s := newSession(config.Config{Switching: config.Switching{PP: points}}, img, nil)
			if err := s.readProfile(); err != nil {
				t.Fatal(err)
			}
			want := refused == "every" || slices.Contains(strings.Split(refused, "; "), name)
			got := s.Platform.pointless(&s.Program)
			if (got != "") != want || want && !strings.HasPrefix(got, "--pp "+list+": ") {
				t.Errorf("%s: --pp %s: %q, want refused %v", name, list, got, want)
			}
		}
	}
}
