package travel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// A user's questions in words: gdb's monitor, and the console of an editor.

type command struct {
	name, takes, help string
	answer            func(t *Travel, q *debugger.Question) (string, error)
}

// commands are in the order in which help lists them.
var commands []command

func init() { // help lists them
	commands = []command{
		{"where", "", "the present moment: its number, the turn, each thread's place", (*Travel).where},
		{"schedule", "", "the schedule, with the turn under way", (*Travel).schedule},
		{"lanes", "", "the turns of the threads, a line each", (*Travel).lanes},
		{"locks", "", "the locks that threads hold, and wait for", (*Travel).locks},
		{"at", "MOMENT", "have the next continue go to a moment; TURN: or #TURN the beginning of a turn", (*Travel).goAt},
		{"buffers", "", "the stores that are in threads' store buffers, oldest first: other threads don't see them yet", (*Travel).buffers},
		{"who-wrote", "PLACE", "the latest store before the present moment to an address, or to the beginning of a variable or its part: x.field, a[3]", (*Travel).whoWrote},
		{"what-if", "THREAD", "let another thread go on here, and run the rest by itself", (*Travel).whatIf},
		{"cause", "", "what is wrong at the end of the run", (*Travel).cause},
		{"help", "", "this list", help},
	}
}

// Tell implements debugger.Target.
func (t *Travel) Tell(q debugger.Question) (string, error) {
	if len(q.Words) == 0 {
		return help(t, &q)
	}
	for i := range commands {
		c := &commands[i]
		if c.name != q.Words[0] {
			continue
		}
		if want := len(strings.Fields(c.takes)); len(q.Words)-1 != want {
			return "", fmt.Errorf("%s takes %d words: %s", c.name, want, c.takes)
		}
		if err := t.here(); err != nil {
			return "", err
		}
		return c.answer(t, &q)
	}
	return "", fmt.Errorf("there is no command %q: help lists them", q.Words[0])
}

func help(*Travel, *debugger.Question) (string, error) {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "%-20s %s\n", strings.TrimSpace(c.name+" "+c.takes), c.help)
	}
	return b.String(), nil
}

// turn is a stretch of one thread's pieces.
type turn struct {
	first, behind int // pieces
}

func (t *Travel) turns() (all []turn) {
	for i := range t.pieces {
		if n := len(all); n > 0 && t.pieces[i].step.Thread == t.pieces[all[n-1].first].step.Thread {
			all[n-1].behind = i + 1
			continue
		}
		all = append(all, turn{i, i + 1})
	}
	return all
}

// span is the moments of a turn: its beginning and its end.
func (t *Travel) span(x turn) (from, to uint64) {
	last := &t.pieces[x.behind-1]
	return t.pieces[x.first].base, last.base + last.ticks
}

// turnNow is the number of the turn under way, from 1; one more than there are at the
// end.
func (t *Travel) turnNow(all []turn) int {
	n := t.pieceAt(t.at)
	for i, x := range all {
		if n < x.behind {
			return i + 1
		}
	}
	return len(all) + 1
}

func (t *Travel) where(*debugger.Question) (string, error) {
	var b strings.Builder
	all := t.turns()
	fmt.Fprintf(&b, "moment %d of %d, ", t.at, t.total)
	if now := t.turnNow(all); now > len(all) {
		fmt.Fprintf(&b, "the end, after %d turns\n", len(all))
	} else {
		fmt.Fprintf(&b, "in turn %d of %d\n", now, len(all))
	}
	states := t.s.Guest.Threads(nil)
	for _, x := range t.s.Guest.Starts() {
		mark := " "
		if x.Thread == t.current {
			mark = "*"
		}
		place := ""
		if t.s.Plain.Thread(x.Thread).Live() {
			place = " at " + at(result.Innermost(t.s.Stack(x.Thread)))
		}
		fmt.Fprintf(&b, "%s %s, instruction %d%s: %s\n", mark, t.name(x.Thread), t.s.Guest.Position(x.Thread).Insns, place, t.about(x.Thread, states))
	}
	return b.String(), nil
}

func at(f result.Frame) string {
	if f.File == "" {
		return f.Function
	}
	return f.Function + " " + f.Where()
}

func (t *Travel) schedule(*debugger.Question) (string, error) {
	all := t.turns()
	now := t.turnNow(all)
	text := t.sched.String() + "\n"
	if now > len(all) {
		return text + fmt.Sprintf("the end, after %d turns\n", len(all)), nil
	}
	from, to := t.span(all[now-1])
	return text + fmt.Sprintf("turn %d of %d, of thread %s: moments %d to %d, now %d\n", now, len(all), t.name(t.pieces[all[now-1].first].step.Thread), from, to, t.at), nil
}

func (t *Travel) lanes(*debugger.Question) (string, error) {
	var b strings.Builder
	all := t.turns()
	now := t.turnNow(all)
	var order []trace.TID
	for _, x := range all {
		if tid := t.pieces[x.first].step.Thread; !slices.Contains(order, tid) {
			order = append(order, tid)
		}
	}
	for i, x := range all {
		mark := " "
		if i+1 == now {
			mark = ">"
		}
		tid := t.pieces[x.first].step.Thread
		from, to := t.span(x)
		why := ""
		if t.pieces[x.first].step.Preemption {
			why = ", after a preemption"
		}
		fmt.Fprintf(&b, "%s %4d %s%s: moments %d to %d%s\n", mark, i+1, strings.Repeat("  ", slices.Index(order, tid)), t.name(tid), from, to, why)
	}
	return b.String(), nil
}

func (t *Travel) locks(*debugger.Question) (string, error) {
	var b strings.Builder
	for _, x := range t.s.Guest.Starts() {
		held, state := t.s.Guest.Held(x.Thread), t.s.Guest.StateText(x.Thread)
		if len(held) == 0 && !strings.HasPrefix(state, "waits") {
			continue
		}
		b.WriteString(t.name(x.Thread))
		if len(held) > 0 {
			b.WriteString(" holds " + strings.Join(held, ", "))
		}
		if strings.HasPrefix(state, "waits") {
			if len(held) > 0 {
				b.WriteString(" and")
			}
			b.WriteString(" " + state)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "no thread holds a lock that landgo knows\n", nil
	}
	return b.String(), nil
}

func (t *Travel) buffers(*debugger.Question) (string, error) {
	if !t.s.Config.Buffers() {
		return "stores are in memory at once: the run is of sequentially consistent memory\n", nil
	}
	var b strings.Builder
	for _, x := range t.s.Guest.Starts() {
		for _, a := range t.s.Plain.Buffered(x.Thread) {
			fmt.Fprintf(&b, "%s: %s, stored at %s\n", t.name(x.Thread), t.s.Guest.VariableName(a.Addr), at(result.Innermost(t.s.Frames([]uint64{a.PC}))))
		}
	}
	if b.Len() == 0 {
		return "no store is in a store buffer\n", nil
	}
	return b.String(), nil
}

func (t *Travel) goAt(q *debugger.Question) (string, error) {
	text, isTurn := strings.CutPrefix(q.Words[1], "#")
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return "", fmt.Errorf("%q is no number of a moment, nor # and a turn's", q.Words[1])
	}
	if isTurn {
		all := t.turns()
		if n < 1 || n > uint64(len(all)) {
			return "", fmt.Errorf("the run has the turns 1 to %d", len(all))
		}
		n, _ = t.span(all[n-1])
	}
	if n > t.total {
		return "", fmt.Errorf("the run has the moments 0 to %d", t.total)
	}
	t.goal = &n
	return fmt.Sprintf("continue goes to moment %d\n", n), nil
}

func (t *Travel) whoWrote(q *debugger.Question) (string, error) {
	addr, err := t.place(q.Words[1])
	if err != nil {
		return "", err
	}
	place := addr
	if t.s.Platform.Ticks {
		place = t.s.Image.Physical(addr)
	}
	was, who := t.at, t.current
	defer func() { t.at, t.current = was, who }()
	h := hunt{Order: &debugger.Order{Back: true, Watches: []debugger.Watch{{Addr: addr, Size: 1, Write: true}}}, step: trace.NoThread}
	h.lo, h.hi = []uint64{place}, []uint64{place + 1}
	stop, err := t.back(&h)
	if err != nil {
		return "", err
	}
	if stop.Why != debugger.AtWatch {
		return fmt.Sprintf("nothing was stored at %#x before moment %d\n", addr, was), nil
	}
	if err := t.bring(t.at); err != nil {
		return "", err
	}
	if n := t.pieceAt(t.at); n < len(t.pieces) && t.pieces[n].flushed != 0 {
		return fmt.Sprintf("the store buffer of %s, at moment %d: the store at %s\n", t.name(t.current), t.at, at(result.Innermost(t.s.Frames([]uint64{t.pieces[n].flushed})))), nil
	}
	return fmt.Sprintf("%s, at moment %d: %s\n", t.name(t.current), t.at, at(result.Innermost(t.s.Stack(t.current)))), nil
}

// place is the address that a word means: a number, a variable, or a part of one.
func (t *Travel) place(word string) (uint64, error) {
	if addr, err := strconv.ParseUint(word, 0, 64); err == nil {
		return addr, nil
	}
	word = strings.TrimPrefix(word, "&")
	if symbol, ok := t.s.Image.Symbol(word); ok {
		return symbol.Addr, nil
	}
	if value, err := t.s.Evaluate(trace.NoThread, "&"+word); err == nil {
		hex, _, _ := strings.Cut(value, " ") // before a name
		if addr, err := strconv.ParseUint(hex, 0, 64); err == nil {
			return addr, nil
		}
	}
	return 0, fmt.Errorf("%q is no address, and no variable with a place of its own", word)
}

func (t *Travel) cause(*debugger.Question) (string, error) {
	if t.bug == nil {
		return "the run ends without a bug\n", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, by thread %s\n", t.bug.Kind, t.bug.Message, t.bug.Thread)
	if t.bug.Mistake != "" {
		fmt.Fprintln(&b, t.bug.Mistake)
	}
	for _, w := range t.bug.Waits {
		fmt.Fprintf(&b, "%s waits for %s\n", w.Thread, w.Object)
	}
	return b.String(), nil
}
