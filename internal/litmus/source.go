package litmus

import (
	"fmt"
	"strings"
)

// macros are the instructions of a test. AT is where a location is.
const macros = `#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define STORE(l, x) __asm__ volatile("movl %1, %0" : "=m"(AT(l)) : "i"(x) : "memory")
#define LOAD(r, l) __asm__ volatile("movl %1, %0" : "=r"(r) : "m"(AT(l)) : "memory")
#define XCHG(l, x) { int y = x; __asm__ volatile("xchgl %0, %1" : "+r"(y), "+m"(AT(l)) : : "memory"); }
#define FENCEALL() syscall(324, 8, 0, 0)
#define MFENCE() __asm__ volatile("mfence" : : : "memory")
#define LOCKED() { int y = 0; __asm__ volatile("lock orl $0, %0" : "+m"(y) : : "memory"); }
` + sizes

// once is the C around a test's threads that runs them once.
const once = `static void (*const bodies[THREADS])(struct location *, int *) = {%s};
static void *run(void *n) { long t = (long)n; bodies[t](loc, out[t]); return 0; }
int main(void)
{
	pthread_t t[THREADS];
	int said = 0;
	syscall(324, 16, 0, 0);
	for (long i = 0; i < THREADS; i++) pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
%s	for (int i = 0; i < LOCATIONS; i++) SAY(loc[i].v);
	printf("\n");
	return 0;
}
`

// say prints a value: as it is, or its bytes.
var say = map[bool]string{
	false: "#define SAY(v) printf(\"%s%d\", said++ ? \" \" : \"\", v)\n",
	true:  "#define SAY(v) for (int k = 0; k < 32; k += 8) printf(\"%s%d\", said++ ? \" \" : \"\", (v) >> k & 255)\n",
}

// Source is the test in C. It runs once, and prints its outcome in the words of Tell.
func (t *Test) Source() string {
	var threads, names, loads strings.Builder
	for th := range t.Program.Threads {
		name := fmt.Sprintf("thread%d", th)
		threads.WriteString(t.body(th, name, "struct location *at"))
		names.WriteString(name + ", ")
	}
	for _, l := range t.loads {
		fmt.Fprintf(&loads, "\tSAY(out[%d][%d]);\n", l.thread, l.reg)
	}
	return macros + fmt.Sprintf("#define THREADS %d\n#define LOCATIONS %d\n#define REGISTERS %d\n", len(t.Program.Threads), t.Locations, Registers) +
		"struct location { volatile int v; int pad[15]; };\n" +
		"static struct location loc[LOCATIONS] __attribute__((aligned(64)));\n" +
		"static int out[THREADS][REGISTERS];\n" +
		"#define AT(l) at[l].v\n" + say[t.Bytes] +
		threads.String() + fmt.Sprintf(once, names.String(), loads.String())
}

// body is a thread as a C function. It has its locations by these parameters, and leaves in r
// what it loads.
func (t *Test) body(thread int, name, parameters string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "static void %s(%s, int *r)\n{\n\t(void)at; (void)r;\n", name, parameters)
	var used []int
	for _, x := range t.Program.Threads[thread] {
		if x.Kind == Load {
			fmt.Fprintf(&b, "\tint r%d;\n", x.Reg)
			used = append(used, x.Reg)
		}
	}
	for _, x := range t.Program.Threads[thread] {
		switch l := x.Addr / 4; {
		case t.Bytes:
			b.WriteString("\t" + x.inBytes() + "\n")
		case x.Kind == Load:
			fmt.Fprintf(&b, "\tLOAD(r%d, %d);\n", x.Reg, l)
		case x.Kind == Store:
			fmt.Fprintf(&b, "\tSTORE(%d, %d);\n", l, x.Value)
		case x.Kind == Exchange:
			fmt.Fprintf(&b, "\tXCHG(%d, %d)\n", l, x.Value)
		case x.Kind == FenceAll:
			b.WriteString("\tFENCEALL();\n")
		case x.Value == int(LockDWR):
			b.WriteString("\tLOCKED()\n")
		default:
			b.WriteString("\tMFENCE();\n")
		}
	}
	for _, r := range used {
		fmt.Fprintf(&b, "\tr[%d] = r%d;\n", r, r)
	}
	b.WriteString("}\n")
	return b.String()
}
