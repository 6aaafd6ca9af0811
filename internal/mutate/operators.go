package mutate

import (
	"regexp"
	"strings"
)

// An Operator is a kind of mistake.
type Operator struct {
	Name  string
	About string // one clause, for tables
	apply func(*author)
}

// Operators are all kinds, in the order in which Mutants has them.
var Operators = []Operator{
	{"lock_dropped", "a critical section without its lock", lockDropped},
	{"lock_late", "a lock taken one statement later", lockLate},
	{"lock_replaced", "a critical section under another lock", lockReplaced},
	{"unlock_early", "a lock given back one statement earlier", unlockEarly},
	{"unlock_late", "a lock given back one statement later", unlockLate},
	{"while_if", "if in place of while", whileIf},
	{"signal_first", "a wake-up before the change that it is about", signalFirst},
	{"wake_dropped", "a wake-up left out", wakeDropped},
	{"free_early", "memory given away one to three statements earlier", freeEarly},
	{"atomic_plain", "an atomic instruction as a load and a store", atomicPlain},
	{"sleep_plain", "a sleep that doesn't look at its word in the same step", sleepPlain},
}

// A section is a call that takes a lock with those that give it back, up to the
// next call that takes it.
type section struct {
	words   Lock
	lock    *statement
	args    string
	unlocks []*statement
}

func (a *author) sections() []section {
	var all []section
	a.function.body.each(func(s *statement) {
		name, args := a.called(s)
		for _, l := range a.words.Locks {
			switch name {
			case l.Lock:
				all = append(all, section{words: l, lock: s, args: args})
			case l.Unlock:
				for i := len(all) - 1; i >= 0; i-- {
					if all[i].words == l && all[i].args == args {
						all[i].unlocks = append(all[i].unlocks, s)
						break
					}
				}
			}
		}
	})
	return all
}

func lockDropped(a *author) {
	for _, c := range a.sections() {
		edits := []edit{a.cut(c.lock)}
		for _, u := range c.unlocks {
			edits = append(edits, a.cut(u))
		}
		a.change(c.lock.first, "", edits...)
	}
}

// lockReplaced: by another that the function uses, and by a new one.
func lockReplaced(a *author) {
	all := a.sections()
	for _, c := range all {
		arguments := map[string]string{"own": "&own_lock"}
		details := []string{"own"}
		for _, other := range all {
			if name := strings.Join(strings.FieldsFunc(other.args, notOfWord), "_"); other.words == c.words && other.args != c.args && arguments[name] == "" {
				arguments[name] = other.args
				details = append(details, name)
			}
		}
		for _, d := range details {
			var edits []edit
			if d == "own" {
				at := a.tokens[a.function.body.first].end()
				edits = append(edits, edit{at, at, " static " + c.words.Type + " own_lock;"})
			}
			for _, s := range append([]*statement{c.lock}, c.unlocks...) {
				edits = append(edits, a.replace(s.first+2, s.last-2, arguments[d]))
			}
			a.change(c.lock.first, d, edits...)
		}
	}
}

func notOfWord(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_')
}

func lockLate(a *author) {
	for _, c := range a.sections() {
		if next := c.lock.after(); next != nil && next.kind != "jump" {
			a.change(c.lock.first, "", a.moveAfter(c.lock, next)...)
		}
	}
}

func unlockEarly(a *author) {
	for _, c := range a.sections() {
		for _, u := range c.unlocks {
			if prev := u.before(); prev != nil && prev != c.lock && !a.declares(prev) {
				a.change(u.first, "", a.moveBefore(u, prev)...)
			}
		}
	}
}

func unlockLate(a *author) {
	for _, c := range a.sections() {
		for _, u := range c.unlocks {
			if next := u.after(); next != nil && next.kind != "jump" {
				a.change(u.first, "", a.moveAfter(u, next)...)
			}
		}
	}
}

func whileIf(a *author) {
	a.function.body.each(func(s *statement) {
		if s.kind == "while" {
			a.change(s.first, "", a.replace(s.first, s.first, "if"))
		}
	})
}

// wakes calls visit for each call that wakes a thread.
func (a *author) wakes(visit func(*statement)) {
	a.function.body.each(func(s *statement) {
		name, _ := a.called(s)
		for _, w := range a.words.Wakes {
			if name == w {
				visit(s)
			}
		}
	})
}

func wakeDropped(a *author) {
	a.wakes(func(s *statement) { a.change(s.first, "", a.cut(s)) })
}

// signalFirst: the change is the last statement before it in its block that
// assigns anything.
func signalFirst(a *author) {
	a.wakes(func(s *statement) {
		s = s.listed()
		for c := s.before(); c != nil; c = c.before() {
			if a.assigns(c) {
				a.change(s.first, "", a.moveBefore(s, c)...)
				return
			}
		}
	})
}

// freeEarly moves the statement of the function's body that frees, with the
// conditions around it.
func freeEarly(a *author) {
	a.function.body.each(func(s *statement) {
		if s.kind != "simple" {
			return
		}
		text := a.flat(s.first, s.last)
		for _, f := range a.words.Frees {
			if !strings.HasPrefix(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(f, " ", "")) {
				continue
			}
			top := s
			for top.parent != a.function.body {
				top = top.parent
			}
			for c, n := top.before(), 0; c != nil && n < 3 && !a.declares(c); c, n = c.before(), n+1 {
				a.change(s.first, string(rune('1'+n)), a.moveBefore(top, c)...)
			}
		}
	})
}

// atomics are the locked instructions that libraries have as inline assembly:
// operand 0 is the value, 1 the memory.
var atomics = []struct{ instruction, store string }{
	{`xchgl %0, %1`, "V"},
	{`lock xaddl %0, %1`, "V + old"},
}

var operands = regexp.MustCompile(`"\+r" \( (.+?) \) , "\+m" \( (.+?) \) :`)

func atomicPlain(a *author) {
	a.function.body.each(func(s *statement) {
		text := a.flat(s.first, s.last)
		if s.kind != "simple" || a.text(s.first) != "__asm__" {
			return
		}
		for _, at := range atomics {
			m := operands.FindStringSubmatch(text)
			if m == nil || !strings.Contains(text, `"`+at.instruction+`"`) {
				continue
			}
			value, memory := m[1], m[2]
			store := strings.ReplaceAll(at.store, "V", value)
			a.change(s.first, "", a.replace(s.first, s.last,
				"{ __typeof__("+memory+") old = "+memory+"; "+memory+" = "+store+"; "+value+" = old; }"))
		}
	})
}

// sleepPlain: deschedule looks at a word and sleeps in one step. Here the word
// is one that says nothing.
func sleepPlain(a *author) {
	a.function.body.each(func(s *statement) {
		if name, args := a.called(s); name == "deschedule" {
			a.change(s.first, "", a.replace(s.first, s.last, "{ int never = 0; if (!*("+args+")) deschedule(&never); }"))
		}
	})
}
