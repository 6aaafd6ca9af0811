package outside

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

//go:embed c/head.h
var head string

//go:embed c/head_more.h
var headMore string

//go:embed c/runner.h
var runner string

//go:embed c/head_cxx.h
var headCXX string

// A Language is what a program is written in.
type Language int

// The languages.
const (
	C Language = iota
	CXX
)

// Program is a program of two or three threads, main included.
type Program struct {
	Seed     uint64
	Number   int
	Language Language
	Themes   []string // the subjects of its statements
	// setup runs before the threads are created, and is always whole; bodies[0] is what main does
	// before it joins, bodies[t] what thread t does, after what it sees then.
	setup, after []*node
	bodies       [][]*node
	end          string
}

// node is a statement, with those inside of it where the text has {body}.
type node struct {
	text string
	body []*node
	// timed: the statement has a time that may run out.
	timed bool
}

// Timed reports whether something in the program may run out.
func (p *Program) Timed() bool {
	timed := false
	p.each(func(n *node) { timed = timed || n.timed })
	return timed
}

func (p *Program) each(f func(*node)) {
	var walk func([]*node)
	walk = func(list []*node) {
		for _, n := range list {
			f(n)
			walk(n.body)
		}
	}
	for _, b := range p.bodies {
		walk(b)
	}
	walk(p.after)
}

// Statements is how many there are, nested ones too, without those that set up.
func (p *Program) Statements() (n int) {
	p.each(func(*node) { n++ })
	return n
}

// Without is the program with statement i left out, in the order of the text;
// what is inside of it stays, if keep.
func (p *Program) Without(i int, keep bool) *Program {
	q := *p
	var cut func([]*node) []*node
	cut = func(list []*node) (left []*node) {
		for _, n := range list {
			gone := i == 0
			i--
			body := cut(n.body)
			switch {
			case !gone:
				left = append(left, &node{n.text, body, n.timed})
			case keep:
				left = append(left, body...)
			}
		}
		return left
	}
	q.bodies = nil
	for _, b := range p.bodies {
		q.bodies = append(q.bodies, cut(b))
	}
	q.after = cut(p.after)
	return &q
}

// New is program number i of a seed.
func New(seed uint64, number int, language Language) *Program {
	g := &writer{Rand: rand.New(rand.NewPCG(seed, uint64(number)))}
	p := &Program{Seed: seed, Number: number, Language: language}
	g.choose(p)
	threads := 1 + g.IntN(2) // beside main
	p.bodies = make([][]*node, threads+1)
	for t := 1; t <= threads; t++ {
		g.thread, g.left = t, 1+g.IntN(7-2*threads)
		p.bodies[t] = g.list()
	}
	g.thread, g.left = 0, g.IntN(5-threads)
	p.bodies[0] = g.list()
	return p
}

// Source is a file with programs: program k runs with the argument k, and
// aborts where its outcome is one of the arguments behind. With points it is made to run natively: its arguments are the runner's.
func Source(programs []*Program, points bool) string {
	var b strings.Builder
	if points {
		b.WriteString("#define POINTS\n")
	}
	b.WriteString(head)
	b.WriteString(headMore)
	if programs[0].Language == CXX {
		b.WriteString(headCXX)
	}
	for k, p := range programs {
		b.WriteString(p.Text(k))
	}
	b.WriteString("static void program(int k) {\n\tswitch (k) {\n")
	for k := range programs {
		fmt.Fprintf(&b, "\tcase %d: p%d(); break;\n", k, k)
	}
	b.WriteString("\t}\n}\n")
	if points {
		b.WriteString(runner + "int main(int n, char **a) { return n >= 4 ? natively(a, program) : 2; }\n")
	} else {
		b.WriteString("int main(int n, char **a) { wrongs = a + 2; program(atoi(a[1])); return 0; }\n")
	}
	return b.String()
}

// Text is the program's functions.
func (p *Program) Text(k int) string {
	w := &printer{}
	for t := 1; t < len(p.bodies); t++ {
		fmt.Fprintf(w, "static void *p%d_%d(void *a) {\n\tme = %d;\n", k, t, t)
		w.list(p.bodies[t], "\t")
		w.point("\t")
		w.WriteString("\treturn a;\n}\n")
	}
	fmt.Fprintf(w, "static void p%d(void) {\n\tbegin();\n", k)
	for _, n := range p.setup {
		w.WriteString("\t" + n.text + "\n")
	}
	for t := 1; t < len(p.bodies); t++ {
		fmt.Fprintf(w, "\tpthread_create(&th[%d], 0, p%d_%d, 0);\n", t, k, t)
	}
	w.list(p.bodies[0], "\t")
	w.point("\t")
	if p.end == leave {
		w.WriteString("\t" + leave + "\n}\n")
		return w.String()
	}
	w.WriteString("\tvoid *r;\n")
	for t := 1; t < len(p.bodies); t++ {
		fmt.Fprintf(w, "\tpthread_join(th[%d], &r); if (r) SEE(-1);\n", t)
	}
	w.list(p.after, "\t")
	w.WriteString("\t" + p.end + "\n}\n")
	return w.String()
}

// printer numbers the points.
type printer struct {
	strings.Builder
	points int
}

// freePoints is how many numbers the head leaves to the programs.
const freePoints = 50

func (w *printer) next() string {
	w.points++
	return "P(" + strconv.Itoa(w.points%freePoints) + ");"
}

func (w *printer) point(indent string) { w.WriteString(indent + w.next() + "\n") }

func (w *printer) list(list []*node, indent string) {
	for _, n := range list {
		w.point(indent)
		text := n.text
		for strings.Contains(text, "{P}") {
			text = strings.Replace(text, "{P}", w.next(), 1)
		}
		before, behind, nested := strings.Cut(text, "{body}")
		w.WriteString(indent + before)
		if nested {
			w.WriteString("\n")
			w.list(n.body, indent+"\t")
			w.point(indent + "\t")
			w.WriteString(indent + behind)
		}
		w.WriteString("\n")
	}
}
