package choose

import (
	"fmt"
	"strings"

	"landgo/internal/debugger"
)

// Model is the screen's state.
type Model struct {
	run           *Run
	width, height int
	style         Style

	prompt *prompt
	// digit takes the next digit in place of a step: "run", "what-if".
	digit string
	// told is the latest answer, and failed whether it is an error's.
	told   []string
	failed bool
	// page is a text that has the whole screen: the help, the output. top is its first
	// line that is shown.
	page []string
	top  int
	busy bool
	over bool
	// mouse: the terminal sends clicks.
	mouse bool
}

// NewModel is the screen of a run.
func NewModel(run *Run, style Style) *Model {
	return &Model{run: run, width: 80, height: 24, style: style}
}

// Begin asks for all that is to be seen.
func (m *Model) Begin() Work { return m.begin(func() (string, error) { return m.run.opening() }) }

func (r *Run) opening() (string, error) {
	_, err := r.do(debugger.Move{Verb: debugger.DoLook})
	if n := len(r.steps); n > 0 && err == nil {
		return fmt.Sprintf("%d steps lie ahead: j goes along them, a thread's number chooses another", n), nil
	}
	return "a thread's number has it take a step; ? lists the keys", err
}

// Work is done beside the keyboard; its message is for Update.
type Work func() any

// Size is a message: the screen's size.
type Size struct{ Width, Height int }

// answered is a message: a command's answer.
type answered struct {
	text string
	err  error
}

// begin has work done, meanwhile keys are left out.
func (m *Model) begin(do func() (string, error)) Work {
	m.busy = true
	return func() any {
		text, err := do()
		return answered{text, err}
	}
}

// Update takes a message in: a Key, a Size, or what a Work has sent. Its work, if there is
// any, is to be done. Over reports the end.
func (m *Model) Update(message any) Work {
	switch x := message.(type) {
	case Size:
		m.width, m.height = x.Width, x.Height
	case answered:
		m.busy = false
		m.answer(x)
	case Key:
		return m.press(x)
	}
	return nil
}

// Over reports whether the user has left.
func (m *Model) Over() bool { return m.over }

// answer shows a command's answer: in the lines for it, or, if it is long, on a page.
func (m *Model) answer(x answered) {
	m.failed = x.err != nil
	text := x.text
	if x.err != nil {
		text = x.err.Error()
	}
	m.told = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(m.told) > maxTold && !m.failed {
		m.page, m.top, m.told = m.told, 0, nil
	}
}

// press takes a key in.
func (m *Model) press(k Key) Work {
	if m.busy {
		if k == "ctrl-c" {
			m.run.Chooser.Interrupt()
		}
		return nil
	}
	switch {
	case strings.HasPrefix(string(k), "mouse "):
		return m.clicked(k)
	case m.page != nil:
		m.turnPage(k)
		return nil
	case m.prompt != nil:
		return m.typed(k)
	}
	m.told, m.failed = nil, false
	if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
		return m.number(int(k[0] - '0'))
	}
	m.digit = ""
	switch k {
	case "q", "ctrl-c", "ctrl-d":
		m.over = true
	case "?", "h":
		m.page, m.top = strings.Split(strings.TrimSuffix(keysText, "\n"), "\n"), 0
	case "m":
		m.mouse = !m.mouse
		m.told = []string{map[bool]string{true: "the mouse goes to a step, has a thread take one, and its wheel goes along: m gives it back", false: "the mouse is the terminal's again"}[m.mouse]}
	case "j", "down":
		return m.line("next")
	case "k", "up":
		return m.line("back")
	case "page-down":
		return m.line(fmt.Sprintf("next %d", m.listed()))
	case "page-up":
		return m.line(fmt.Sprintf("back %d", m.listed()))
	case "g", "home":
		return m.line("go 0")
	case "G", "end":
		return m.line("go end")
	case "n":
		return m.line(fmt.Sprintf("go %d", m.run.turn(false)))
	case "N":
		return m.line(fmt.Sprintf("go %d", m.run.turn(true)))
	case " ":
		return m.line("step")
	case "c":
		return m.line("run")
	case "r":
		m.ask("run", "run which thread on, as long as it can?")
	case "f":
		m.ask("what-if", "what if which thread goes on here?")
	case "t":
		return m.line("take")
	case "u":
		return m.line("undo")
	case "o":
		return m.line("opened")
	case "v":
		return m.line("output")
	case "b":
		m.digit, m.told = "stores", []string{"the oldest store of which thread reaches memory? (its number)"}
	case "w":
		m.prompt = &prompt{ask: "watch", then: after("watch")}
	case "W":
		m.prompt = &prompt{ask: "watch no more", then: after("unwatch")}
	case "p":
		m.prompt = &prompt{ask: "print", then: after("print")}
	case "s":
		m.prompt = &prompt{ask: "save to", text: []rune(m.run.File), then: after("save")}
	case ":":
		m.prompt = &prompt{ask: "command", then: func(words string) string { return words }}
	}
	return nil
}

// ask takes a digit next, or, of more than nine threads, a number.
func (m *Model) ask(command, question string) {
	m.digit, m.told = command, []string{question + " (its number)"}
	if len(m.run.view.Lanes) > 10 {
		m.digit, m.told = "", nil
		m.prompt = &prompt{ask: command + " thread", then: after(command)}
	}
}

// number takes a thread's number in.
func (m *Model) number(n int) Work {
	command := m.digit
	m.digit = ""
	switch command {
	case "stores":
		return m.line(fmt.Sprintf("step %db", n))
	case "":
		command = "step"
		if l, err := m.run.lane(fmt.Sprint(n)); err == nil && l.Ready && l.Outcomes > 1 {
			m.prompt = &prompt{ask: fmt.Sprintf("outcome, 0 to %d", l.Outcomes-1), then: func(words string) string { return fmt.Sprintf("step %d:%s", n, words) }}
			return nil
		}
	}
	return m.line(fmt.Sprintf("%s %d", command, n))
}

// line has a command carried out.
func (m *Model) line(command string) Work {
	return m.begin(func() (string, error) {
		answer, moves, err := m.run.perform(command)
		if moves {
			answer = strings.Join(m.run.view.Told, "\n")
		}
		return answer, err
	})
}

// typed takes a key of the prompt in.
func (m *Model) typed(k Key) Work {
	p := m.prompt
	done, gone := p.press(k)
	if done || gone {
		m.prompt = nil
	}
	words := strings.TrimSpace(string(p.text))
	if !done || words == "" {
		return nil
	}
	if words = p.then(words); words == "quit" {
		m.over = true
		return nil
	}
	return m.line(words)
}

// turnPage takes a key of a page in.
func (m *Model) turnPage(k Key) {
	rows := max(m.height-2, 1)
	switch k {
	case "j", "down":
		m.top++
	case "k", "up":
		m.top--
	case " ", "page-down":
		m.top += rows
	case "page-up":
		m.top -= rows
	default:
		m.page = nil
	}
	m.top = max(min(m.top, len(m.page)-rows), 0)
}

const keysText = `0 to 9      the thread with that number takes its next step
space       the thread that ran takes its next step, or else the next that can
r 0 to 9    a thread takes steps as long as it can; c: the one that ran
b 0 to 9    with --model tso, the oldest store of a thread's store buffer reaches memory
u           undo the latest choice: what it put away lies ahead again
j k, arrows one step forward along those that lie ahead, one step back
n N         to the next switch of threads, to the one before
g G         to the beginning, to the end of what lies ahead
f 0 to 9    what if a thread goes on here, and the rest runs by itself?
t           take the run of the latest what-if: it lies ahead then
o           the run that was opened lies ahead again
w W         watch an expression (x, x.field, p->next, a[3], *p), watch it no more
p           print an expression
v           what the program has printed
m           the mouse: a click on a step goes there, one on a thread has it take a step
s           save all steps to a bug file, for replay, debug and explore
:           any command; :help lists them
q           quit
`
