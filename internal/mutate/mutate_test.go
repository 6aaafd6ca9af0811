package mutate

import (
	"strings"
	"testing"
)

var words = Vocabulary{
	Locks: []Lock{{"lock", "unlock", "lock_t"}},
	Wakes: []string{"wake", "broadcast"},
	Frees: []string{"release_pages(", "unused = t;"},
}

// TestOperators: each operator's mutants of a small function, as the lines that
// differ from the original's.
func TestOperators(t *testing.T) {
	for _, tt := range []struct {
		operator, about string
		src             string
		want            []string // each mutant's changed lines, joined by |
	}{
		{"lock_dropped", "with what gives it back on each path", `
void f(void) {
	lock(&a);
	if (x) {
		unlock(&a);
		return;
	}
	unlock(&a);
}`, []string{";|;|;"}},
		{"lock_dropped", "each section for itself, other locks stay", `
void f(void) {
	lock(&a);
	lock(&b);
	unlock(&a);
	unlock(&b);
	lock(&a);
	unlock(&a);
}`, []string{";|;", ";|;", ";|;"}},
		{"lock_late", "behind the statement after it, which may be a compound one", `
void f(void) {
	lock(&a);
	if (x)
		y = 1;
	unlock(&a);
}`, []string{";|y = 1; lock ( & a ) ;"}},
		{"lock_late", "not behind a return", `
void f(void) {
	lock(&a);
	return;
}`, nil},
		{"lock_replaced", "by one of its own, and by the function's other", `
void f(void) {
	lock(&c->a);
	x++;
	unlock(&c->a);
	lock(m);
}`, []string{
			"void f(void) { static lock_t own_lock;|lock(&own_lock);|unlock(&own_lock);",
			"lock(m);|unlock(m);",
			"void f(void) { static lock_t own_lock;|lock(&own_lock);",
			"lock(& c -> a);",
		}},
		{"unlock_early", "before the statement before it", `
void f(void) {
	lock(&a);
	x = 1;
	y = 2;
	unlock(&a);
}`, []string{"unlock ( & a ) ; y = 2;|;"}},
		{"unlock_early", "not before a declaration, nor before its own lock", `
void f(void) {
	lock(&a);
	unlock(&a);
	lock(&a);
	int y = x;
	unlock(&a);
}`, nil},
		{"unlock_late", "behind the statement after it", `
void f(void) {
	lock(&a);
	unlock(&a);
	x = 1;
}`, []string{";|x = 1; unlock ( & a ) ;"}},
		{"while_if", "not of a do", `
void f(void) {
	do
		x++;
	while (y);
	while (x)
		wait();
}`, []string{"if (x)"}},
		{"signal_first", "before the last change in its block", `
void f(void) {
	x = 1;
	tid = who(y = 2);
	unlock(&a);
	if (w)
		wake(w);
}`, []string{"if ( w ) wake ( w ) ; tid = who(y = 2);|;|"}},
		{"signal_first", "not before a declaration", `
void f(void) {
	struct w *w = head;
	int n = 1;
	wake(w);
}`, nil},
		{"wake_dropped", "each", `
void f(void) {
	wake(w);
	if (x) broadcast(c);
}`, []string{";", "if (x) ;"}},
		{"free_early", "with its condition, one to three statements earlier", `
void f(void) {
	x = 0;
	lock(&a);
	x = 1;
	y = 2;
	if (t)
		release_pages(t);
}`, []string{
			"if ( t ) release_pages ( t ) ; y = 2;|;|",
			"if ( t ) release_pages ( t ) ; x = 1;|;|",
			"if ( t ) release_pages ( t ) ; lock(&a);|;|",
		}},
		{"free_early", "an assignment to the list of free ones", `
void f(void) {
	x = 1;
	{
		t->next = unused;
		unused = t;
	}
}`, []string{"{ t -> next = unused ; unused = t ; } x = 1;|;|||"}},
		{"atomic_plain", "what comes out is the old value, what is stored as the instruction says", `
int f(int *p, int v) {
	__asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	__asm__ volatile("lock xaddl %0, %1" : "+r"(v), "+m"(g->next) : : "memory");
	__asm__ volatile("" : : : "memory");
}`, []string{
			"{ __typeof__(* p) old = * p; * p = v; v = old; }",
			"{ __typeof__(g -> next) old = g -> next; g -> next = v + old; v = old; }",
		}},
		{"sleep_plain", "a look, and a sleep on a word that never says no", `
void f(void) {
	while (!w->go)
		deschedule((int *)&w->go);
}`, []string{"{ int never = 0; if (!*(( int * ) & w -> go)) deschedule(&never); }"}},
	} {
		t.Run(tt.operator+", "+tt.about, func(t *testing.T) {
			all, err := Mutants("a.c", tt.src, words)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range all {
				if m.Operator == tt.operator {
					got = append(got, changed(t, tt.src, m.Text))
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%d mutants, changed in\n%s\nwant\n%s", len(got), strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// changed is the lines of a mutant that its original doesn't have there.
func changed(t *testing.T, src, mutant string) string {
	t.Helper()
	was, is := strings.Split(src, "\n"), strings.Split(mutant, "\n")
	if len(was) != len(is) {
		t.Fatalf("%d lines became %d:\n%s", len(was), len(is), mutant)
	}
	var lines []string
	for i := range is {
		if is[i] != was[i] {
			lines = append(lines, strings.TrimSpace(is[i]))
		}
	}
	return strings.Join(lines, "|")
}

// TestNames: a name says operator and place, and no two are the same.
func TestNames(t *testing.T) {
	src := `
void f(void) {
	wake(a); wake(b);
}
void g(void) {
	lock(m);
	wake(a);
	unlock(m);
}`
	all, err := Mutants("a.c", src, words)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range all {
		if seen[m.Name()] {
			t.Errorf("two mutants are called %s", m.Name())
		}
		seen[m.Name()] = true
	}
	for _, name := range []string{"a.c-3-wake_dropped", "a.c-3-wake_dropped-2", "a.c-7-wake_dropped", "a.c-6-lock_dropped", "a.c-6-lock_replaced-own"} {
		if !seen[name] {
			t.Errorf("there is no %s among %v", name, seen)
		}
	}
}

// TestPlain: what a switch that is off turns off is no part of a source, what
// it turns on is; lines stay, and other conditions too.
func TestPlain(t *testing.T) {
	src := `#ifndef A_H
#if BAD
bad
#elif WORSE
worse
#else
good
#endif
#if !BAD
good, too
#if WORSE
worse
#endif
#else
bad
#endif
#if SIZE
sized
#else
unsized
#endif
#endif`
	switches := Switches("#define BAD 0\n#ifndef WORSE\n#define WORSE 0\n#endif\n#define SIZE 3\n")
	got, err := Plain(src, switches)
	if err != nil {
		t.Fatal(err)
	}
	want := "#ifndef A_H\n\n\n\n\n\ngood\n\n\ngood, too\n\n\n\n\n\n\n#if SIZE\nsized\n#else\nunsized\n#endif\n#endif"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for _, bad := range []string{"#if BAD", "#endif", "#if BAD\n#elif SIZE\n#endif"} {
		if _, err := Plain(bad, switches); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestCalls: the functions of a source with the names that they call.
func TestCalls(t *testing.T) {
	calls, err := Calls(`struct s { int n; };
static int f(int n) __attribute__((unused));
static int f(int n) { return g(n) + h(g(1)); }
int a[] = { 1, 2 };
void k(void) { if (f(2)) { x = y; } }`)
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) != 2 || strings.Join(calls["f"], " ") != "g h g" || strings.Join(calls["k"], " ") != "if f" {
		t.Errorf("got %v", calls)
	}
}

// TestNotC: what isn't C is an error with its line.
func TestNotC(t *testing.T) {
	for src, want := range map[string]string{
		"\nvoid f(void) { g(); ":  "line 2",
		"\n\n/* no end":           "line 3",
		"void f(void) { x = 1 }":  "line 1",
		"void f(void) { (x = 1; ": "line 1",
		"struct s {":              "bracket",
		"\x01":                    "isn't C",
		"char *s = \"no end":      "isn't C",
	} {
		if _, err := Mutants("a.c", src, words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want one with %q", src, err, want)
		}
	}
}
