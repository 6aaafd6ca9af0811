package outside

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// A statement is a template of C. {x} and {y} stand for 0 or 1, {n} for 1 to 3, {S}
// for a signal. {o} stands for main or an older thread, {P} for a point, {body} for
// more statements, {a|b} for either. All but the last are the same all over a
// statement.
type statement struct {
	text   string
	weight int  // 0 is 1
	timed  bool // something may run out
	// only: where it may stand; "" is anywhere.
	only place
	// flat: not where a lock is held, because its thread may end here.
	flat bool
}

type place string

const (
	inThread place = "thread" // not in main
	inMain   place = "main"
	inFirst  place = "first" // in the first thread only
)

// A theme is a set of related statements, with their set-up and the values that are printed in
// the end.
type theme struct {
	name       string
	weight     int
	setup      []string // all of them
	statements []statement
	after      []string
	// end, instead of reporting and returning; a choice.
	end string
}

const (
	finish = "report();"
	leave  = "pthread_exit(0);" // and the last one reports
)

// writer writes one program.
type writer struct {
	*rand.Rand
	kinds  []*statement
	thread int
	left   int
	around []string // the texts of the statements that this one is in
	// named is what the statement's names stand for.
	named map[string]string
}

// choose takes one or two themes and a few of their statements.
func (g *writer) choose(p *Program) {
	all := themes
	if p.Language == CXX {
		all = themesCXX
	}
	for range 2 {
		g.kinds = append(g.kinds, g.weighted(common))
	}
	p.end = finish
	taken := map[*theme]bool{}
	for n := 1 + g.IntN(5)/3; n > 0; n-- {
		t := g.theme(all)
		if taken[t] {
			continue
		}
		taken[t] = true
		p.Themes = append(p.Themes, t.name)
		for _, s := range t.setup {
			if text := g.fill(s); text != "" {
				p.setup = append(p.setup, &node{text: text})
			}
		}
		for _, s := range t.after {
			p.after = append(p.after, &node{text: g.fill(s)})
		}
		if t.end != "" {
			p.end = g.fill(t.end)
		}
		// Few kinds, so that they meet.
		for k := 3 + g.IntN(3); k > 0; k-- {
			g.kinds = append(g.kinds, g.weighted(t.statements))
		}
	}
	if p.end != finish {
		p.setup = append(p.setup, &node{text: "atexit(report);"})
	}
}

func (g *writer) theme(all []theme) *theme {
	total := 0
	for i := range all {
		total += all[i].weight
	}
	n := g.IntN(total)
	for i := range all {
		if n -= all[i].weight; n < 0 {
			return &all[i]
		}
	}
	panic("unreachable: n is less than the sum of the weights")
}

func (g *writer) weighted(all []statement) *statement {
	total := 0
	for i := range all {
		total += max(1, all[i].weight)
	}
	n := g.IntN(total)
	for i := range all {
		if n -= max(1, all[i].weight); n < 0 {
			return &all[i]
		}
	}
	panic("unreachable: n is less than the sum of the weights")
}

func (g *writer) list() (list []*node) {
	for g.left > 0 {
		if n := g.statement(); n != nil {
			list = append(list, n)
		}
	}
	return list
}

func (g *writer) statement() *node {
	g.left--
	s := g.kinds[g.IntN(len(g.kinds))]
	switch {
	case s.only == inThread && g.thread == 0, s.only == inMain && g.thread != 0, s.only == inFirst && g.thread != 1:
		return nil
	}
	n := &node{text: g.fill(s.text), timed: s.timed}
	if !g.fits(s, n.text) {
		return nil
	}
	if strings.Contains(n.text, "{body}") {
		g.around = append(g.around, n.text)
		for k := 1 + g.IntN(2); k > 0 && g.left > 0 && len(g.around) < 3; k-- {
			if inner := g.statement(); inner != nil {
				n.body = append(n.body, inner)
			}
		}
		g.around = g.around[:len(g.around)-1]
	}
	return n
}

// fits reports whether a statement may stand where the writer is: a thread
// doesn't end with a lock, and takes none twice that isn't made for it.
func (g *writer) fits(s *statement, text string) bool {
	for _, a := range g.around {
		if s.flat && strings.Contains(a, "lock") {
			return false
		}
		for _, name := range []string{"&m[0]", "&m[1]", "&rw", "(mx", "rm)", "(sm", "tm_", "&spin", "&mt[0]"} {
			twice := strings.Contains(text, name) && strings.Contains(a, name)
			const reads = "(pthread_rwlock_rdlock("
			if twice && !(strings.Contains(text, reads) && strings.Contains(a, reads)) {
				return false
			}
		}
	}
	return true
}

// fill replaces the innermost braces first, so that a choice may have names in
// it. Braces of C have a space, a line's end or another brace behind them.
func (g *writer) fill(text string) string {
	g.named = map[string]string{}
	for from := 0; ; {
		open := -1
		end := -1
		for i := from; i < len(text); i++ {
			if text[i] == '{' && i+1 < len(text) && text[i+1] != ' ' {
				open = i
			}
			if text[i] == '}' && open >= 0 {
				end = i
				break
			}
		}
		if end < 0 {
			return text
		}
		name := text[open+1 : end]
		if name == "P" || name == "body" {
			// It stays, and so must not hide an outer brace: choices don't hold them.
			from = end + 1
			continue
		}
		text = text[:open] + g.value(name) + text[end+1:]
	}
}

func (g *writer) value(name string) string {
	v, ok := g.named[name]
	if !ok {
		v = g.chosen(name)
	}
	if !strings.Contains(name, "|") {
		g.named[name] = v // the same all over the statement
	}
	return v
}

func (g *writer) chosen(name string) string {
	switch name {
	case "x", "y":
		return strconv.Itoa(g.IntN(2))
	case "n":
		return strconv.Itoa(1 + g.IntN(3))
	case "S":
		return []string{"SIGUSR1", "SIGUSR1", "SIGUSR2"}[g.IntN(3)]
	case "o": // main, or an older thread
		if g.thread == 0 {
			return strconv.Itoa(g.IntN(2))
		}
		return strconv.Itoa(g.IntN(g.thread))
	}
	ways := strings.Split(name, "|")
	if len(ways) == 1 {
		panic("no such name: " + name)
	}
	return ways[g.IntN(len(ways))]
}
