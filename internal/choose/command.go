package choose

import (
	"fmt"
	"strconv"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/result"
)

// command is a command that a user can type.
type command struct {
	name, takes, help string
	// moves: a screen shows its effect anyway.
	moves bool
	// do carries it out, with what stands behind its name. The answer is text, lines.
	do func(r *Run, words string) (string, error)
}

// commands are in the order in which help lists them.
var commands = []command{
	{"step", "[THREAD[:OUTCOME]]", "have a thread take its next step; THREAD is T1, 1 or its path name 0.1", true, (*Run).step},
	{"run", "[THREAD]", "have a thread take steps as long as it can", true, (*Run).run},
	{"next", "[N]", "go N steps forward along those that lie ahead", true, (*Run).next},
	{"back", "[N]", "go N steps back", true, (*Run).back},
	{"go", "N", "go to where N steps are taken; end: all", true, (*Run).goTo},
	{"undo", "", "take the latest choice back, with what it put away", true, (*Run).undo},
	{"opened", "", "have the run that was opened ahead again", true, (*Run).opened},
	{"what-if", "THREAD", "say how it ends if a thread goes on here, and the rest runs by itself", false, (*Run).whatIf},
	{"take", "", "have the run of the latest what-if ahead", true, (*Run).take},
	{"threads", "", "the threads: what each would do next, or why it can't go on", false, (*Run).threads},
	{"lanes", "", "all steps, a column a thread", false, (*Run).lanes},
	{"print", "EXPRESSION", "a value now: x, x.field, p->next, a[3], *p, &x; T1:x is thread T1's own", false, (*Run).print},
	{"watch", "EXPRESSION", "show a value at each step", true, (*Run).watch},
	{"unwatch", "EXPRESSION", "show it no more", true, (*Run).unwatch},
	{"output", "", "what the program has printed", false, (*Run).output},
	{"save", "[FILE]", "save all steps to a bug file, for replay, debug and explore", false, (*Run).save},
}

// perform carries a line out. moves is that of its command.
func (r *Run) perform(line string) (answer string, moves bool, err error) {
	name, words, _ := strings.Cut(strings.TrimSpace(line), " ")
	words = strings.TrimSpace(words)
	if name == "help" {
		return help(), false, nil
	}
	for i := range commands {
		c := &commands[i]
		if c.name != name {
			continue
		}
		switch {
		case c.takes == "" && words != "":
			return "", c.moves, fmt.Errorf("%s takes nothing behind it", name)
		case c.takes != "" && c.takes[0] != '[' && words == "":
			return "", c.moves, fmt.Errorf("%s takes %s", name, c.takes)
		}
		answer, err = c.do(r, words)
		return answer, c.moves, err
	}
	if number, _, _ := strings.Cut(name, ":"); number != "" && words == "" && r.isThread(number) {
		answer, err = r.step(name)
		return answer, true, err
	}
	return "", false, fmt.Errorf("there is no command %q: help lists them", name)
}

func (r *Run) isThread(word string) bool {
	_, err := r.lane(word)
	return err == nil
}

func help() string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "%-25s %s\n", strings.TrimSpace(c.name+" "+c.takes), c.help)
	}
	fmt.Fprintf(&b, "%-25s %s\n", "quit", "end; a thread's number alone has it take a step")
	return b.String()
}

func (r *Run) step(words string) (string, error) {
	thread, outcome, chosen := strings.Cut(words, ":")
	l, err := r.lane(thread)
	if err != nil {
		return "", err
	}
	m := debugger.Move{Verb: debugger.DoStep, Thread: l.Thread}
	if chosen {
		n, err := strconv.ParseUint(outcome, 10, 32)
		if err != nil {
			return "", fmt.Errorf("%q is no number of an outcome", outcome)
		}
		m.Outcome = uint32(n)
	}
	return r.moved(m)
}

func (r *Run) run(words string) (string, error) {
	l, err := r.lane(words)
	if err != nil {
		return "", err
	}
	return r.moved(debugger.Move{Verb: debugger.DoRun, Thread: l.Thread})
}

// number is how many steps a command names; 1 without one.
func number(words string) (int, error) {
	if words == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(words)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no number of steps", words)
	}
	return n, nil
}

func (r *Run) next(words string) (string, error) {
	n, err := number(words)
	if err != nil {
		return "", err
	}
	if r.view.At == len(r.steps) && n > 0 {
		return "", fmt.Errorf("no step lies ahead: step THREAD chooses one")
	}
	return r.moved(debugger.Move{Verb: debugger.DoGo, At: min(r.view.At+n, len(r.steps))})
}

func (r *Run) back(words string) (string, error) {
	n, err := number(words)
	if err != nil {
		return "", err
	}
	if r.view.At == 0 && n > 0 {
		return "", fmt.Errorf("this is the beginning")
	}
	return r.moved(debugger.Move{Verb: debugger.DoGo, At: max(r.view.At-n, 0)})
}

func (r *Run) goTo(words string) (string, error) {
	if words == "end" {
		return r.moved(debugger.Move{Verb: debugger.DoGo, At: len(r.steps)})
	}
	n, err := number(words)
	if err != nil {
		return "", err
	}
	return r.moved(debugger.Move{Verb: debugger.DoGo, At: n})
}

func (r *Run) undo(string) (string, error) { return r.moved(debugger.Move{Verb: debugger.DoUndo}) }
func (r *Run) opened(string) (string, error) {
	return r.moved(debugger.Move{Verb: debugger.DoOpened})
}
func (r *Run) take(string) (string, error) { return r.moved(debugger.Move{Verb: debugger.DoTake}) }

func (r *Run) whatIf(words string) (string, error) {
	l, err := r.lane(words)
	if err != nil {
		return "", err
	}
	return r.told(debugger.Move{Verb: debugger.DoWhatIf, Thread: l.Thread})
}

// expression is a move with an expression, before which a thread can stand: "T1:x".
func (r *Run) expression(verb debugger.Verb, words string) debugger.Move {
	thread, text, found := strings.Cut(words, ":")
	if l, err := r.lane(thread); found && thread != "" && !strings.HasPrefix(text, ":") && err == nil {
		return debugger.Move{Verb: verb, Thread: l.Thread, Text: strings.TrimSpace(text)}
	}
	return debugger.Move{Verb: verb, Text: words}
}

// whose says, before an expression, which thread's it is.
func (r *Run) whose(thread string) string {
	if thread == "" {
		return ""
	}
	return r.names.Short(thread) + ":"
}

func (r *Run) print(words string) (string, error) {
	m := r.expression(debugger.DoValue, words)
	v, err := r.do(m)
	if err != nil {
		return "", err
	}
	return result.Printable(r.whose(m.Thread)+strings.Join(v.Told, " ")) + "\n", nil
}

func (r *Run) watch(words string) (string, error) {
	if _, err := r.do(r.expression(debugger.DoWatch, words)); err != nil {
		return "", err
	}
	return r.watchedText(true), nil
}

func (r *Run) unwatch(words string) (string, error) {
	_, err := r.do(r.expression(debugger.DoUnwatch, words))
	return "", err
}

func (r *Run) output(string) (string, error) {
	if r.view.Output == "" {
		return "nothing was printed\n", nil
	}
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(r.view.Output, "\n"), "\n") {
		b.WriteString(result.Printable(line) + "\n")
	}
	return b.String(), nil
}

func (r *Run) save(words string) (string, error) {
	if words == "" {
		words = r.File
	}
	v, err := r.do(debugger.Move{Verb: debugger.DoSave})
	if err != nil {
		return "", err
	}
	told, err := r.Save(v.Saved, words)
	return told + "\n", err
}

// told is the answer to a move that changes nothing.
func (r *Run) told(m debugger.Move) (string, error) {
	v, err := r.do(m)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, line := range v.Told {
		b.WriteString(r.says(line) + "\n")
	}
	return b.String(), nil
}

// moved is the answer to a move along the run.
func (r *Run) moved(m debugger.Move) (string, error) {
	before := r.view.At
	v, err := r.do(m)
	if err != nil {
		return "", err
	}
	return r.movedText(before, v), nil
}
