// Package random writes random multithreaded C programs: two to four threads of
// a few statements each, over everything a linux guest can wait for, take, try
// or race on. Exhaustive search of such a program, without any reduction, is the
// judge of every other search on what compilers and libraries made of it.
package random

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// head is what all programs of a source share. The programs' shared variables
// are volatile: each access in the source is one in the machine code.
const head = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/syscall.h>
static volatile int v[4], seen[8], flag, fw[2], pi;
static volatile long heap[2];
static pthread_mutex_t m[2], r;
static pthread_cond_t c;
static sem_t s[2];
static pthread_rwlock_t rw;
static pthread_barrier_t b;
static pthread_once_t o = PTHREAD_ONCE_INIT;
static pthread_spinlock_t sp;
static pthread_t th[8];
static const struct timespec past = {1, 0};
static void once(void) { v[3] = v[3] * 3 + v[0] + 1; if (v[2]) sched_yield(); v[0]++; }
static long futex(volatile int *p, int op, int x) { return syscall(SYS_futex, p, op, x, 0, 0, 0); }
#define SEE(t, x) (seen[t] = seen[t] * 7 + (x) + 1)
static volatile int *volatile lent[2];
static __attribute__((noinline)) void called(int x, int t, int waits) { volatile int q[2]; lent[x] = q; if (waits) sched_yield(); q[x] = t; SEE(t, q[0] & 7); }
`

// start is main: it runs the program whose number is its argument.
const start = `int main(int n, char **a) {
	(void)n;
	pthread_barrier_init(&b, 0, 2);
	pthread_spin_init(&sp, 0);
	sem_init(&s[1], 0, 1);
	pthread_mutexattr_t at;
	pthread_mutexattr_init(&at);
	pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&r, &at);
	switch (atoi(a[1])) {
`

// Source is a C file with n programs: equal seeds give equal files. Program i
// runs with the argument i.
func Source(seed uint64, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		b.WriteString(Program(seed, i))
	}
	b.WriteString(start)
	for i := range n {
		fmt.Fprintf(&b, "\tcase %d: p%d(); break;\n", i, i)
	}
	b.WriteString("\t}\n\treturn 0;\n}\n")
	return b.String()
}

// Program is the functions of program i of Source.
func Program(seed uint64, i int) string {
	g := &writer{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
	// A few kinds of statements for each program, so that they meet.
	g.kinds = append(g.kinds, &statements[0], &statements[1])
	for n := 3 + g.IntN(3); n > 0; n-- {
		g.kinds = append(g.kinds, g.kind())
	}
	threads := 2 + g.IntN(3)
	for g.thread = 1; g.thread <= threads; g.thread++ {
		g.left = 2 + g.IntN(4)
		if threads == 4 {
			g.left = 1 + g.IntN(2)
		}
		g.function(fmt.Sprintf("static void *p%d_%d(void *a)", i, g.thread), "return a;")
	}
	g.thread, g.left = 0, g.IntN(3)
	var create, join strings.Builder
	for t := 1; t <= threads; t++ {
		fmt.Fprintf(&create, "\tpthread_create(&th[%d], 0, p%d_%d, 0);\n", t, i, t)
		if g.IntN(8) > 0 {
			fmt.Fprintf(&join, "\tpthread_join(th[%d], 0);\n", t)
		}
	}
	g.function(fmt.Sprintf("static void p%d(void)", i), join.String(), create.String())
	return g.String()
}

// writer writes one program.
type writer struct {
	*rand.Rand
	strings.Builder
	kinds  []*statement
	thread int
	// left is how many statements the function may still have.
	left int
}

// kind takes a statement by weight.
func (g *writer) kind() *statement {
	total := 0
	for i := range statements {
		total += statements[i].weight
	}
	n := g.IntN(total)
	for i := range statements {
		if n -= statements[i].weight; n < 0 {
			return &statements[i]
		}
	}
	panic("unreachable: n is less than the sum of the weights")
}

func (g *writer) function(signature, end string, begin ...string) {
	g.WriteString(signature + " {\n" + strings.Join(begin, ""))
	for g.left > 0 {
		g.WriteString("\t" + g.statement() + "\n")
	}
	g.WriteString("\t" + strings.TrimPrefix(end, "\t") + "\n}\n")
}

// statement is one of the program's kinds, filled in.
func (g *writer) statement() string {
	g.left--
	s := g.kinds[g.IntN(len(g.kinds))]
	if s.sibling && g.thread < 2 {
		return ";"
	}
	named := map[string]string{
		"t": strconv.Itoa(g.thread), "x": strconv.Itoa(g.IntN(2)), "y": strconv.Itoa(g.IntN(2)),
		"m": strconv.Itoa(g.IntN(2)), "n": strconv.Itoa(g.IntN(5)),
	}
	return g.fill(s.text, named)
}

// fill replaces the innermost braces first, so that a choice may have names in
// it. Braces of C have a space or a line's end behind them, a template's don't.
func (g *writer) fill(text string, named map[string]string) string {
	for {
		from := -1
		to := -1
		for i := range text {
			if text[i] == '{' && i+1 < len(text) && text[i+1] != ' ' {
				from = i
			}
			if text[i] == '}' && from >= 0 {
				to = i
				break
			}
		}
		if to < 0 {
			return text
		}
		text = text[:from] + g.value(text[from+1:to], named) + text[to+1:]
	}
}

func (g *writer) value(name string, named map[string]string) string {
	if name == "body" {
		var b strings.Builder
		for n := 1 + g.IntN(2); n > 0 && g.left > 0; n-- {
			b.WriteString(g.statement())
		}
		return b.String()
	}
	if v, ok := named[name]; ok {
		return v
	}
	ways := strings.Split(name, "|")
	if len(ways) == 1 {
		panic("no such name: " + name)
	}
	return ways[g.IntN(len(ways))]
}
