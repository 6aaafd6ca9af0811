package result

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"landgo/internal/trace"
)

// Threads have two names. The path name says which thread created it and how many it
// had created before: it is the same in every run, and stands in schedules and in JSON.
// The label is for people: "T1 add" is the first thread that was created in the run that
// is shown, and runs add.

// maxFunction is how long a function's name in a label is.
const maxFunction = 24

// Label gives threads their labels, in the order in which the run created them.
func Label(inOrder []*ThreadStart) {
	n := 0
	for _, s := range inOrder {
		if s.Label = timerLabel(s.Thread); s.Label == "" {
			s.Label = strings.TrimSuffix(fmt.Sprintf("T%d %s", n, shortFunction(s.Function)), " ")
			n++
		}
	}
}

// Rename gives a thread another start function. Its label keeps the number.
func (s *ThreadStart) Rename(function string) {
	number, _, _ := strings.Cut(s.Label, " ")
	s.Function = function
	s.Label = strings.TrimSuffix(number+" "+shortFunction(function), " ")
}

// timerLabel is the label of a timer that sends signals, "timer1" of 0.t1; "" of a thread. Such
// a timer may be gone by the end of the run, where threads are listed.
func timerLabel(path string) string {
	if _, number, ok := strings.Cut(path, "."+trace.TimerMark); ok {
		return "timer" + number
	}
	return ""
}

// LabelByPath gives threads of no certain run their labels, in the order of their path names.
func LabelByPath(starts []ThreadStart) {
	slices.SortFunc(starts, func(a, b ThreadStart) int { return ComparePaths(a.Thread, b.Thread) })
	var all []*ThreadStart
	for i := range starts {
		all = append(all, &starts[i])
	}
	Label(all)
}

// shortFunction is a start function's name without what makes it long: arguments, the
// file's folders of a lambda, the classes around a method.
func shortFunction(name string) string {
	name = Printable(name)
	if name == "_start" || strings.HasPrefix(name, "std::") { // code that isn't the user's
		return ""
	}
	if at, ok := strings.CutPrefix(name, "lambda at "); ok {
		return "lambda " + filepath.Base(at)
	}
	if i := strings.IndexAny(name, "(<"); i > 0 {
		name = name[:i]
	}
	if len(name) > maxFunction {
		name = lastName(name)
	}
	if len(name) > maxFunction {
		name = strings.ToValidUTF8(name[:maxFunction-3], "") + "..."
	}
	return name
}

// lastName is a function's name without what it is in. A closure of Rust has none of its own:
// "main::{{closure}}", also of one in another closure.
func lastName(name string) string {
	parts := strings.Split(name, "::")
	last := len(parts) - 1
	if !strings.HasPrefix(parts[last], "{") {
		return strings.TrimPrefix(parts[last], ":")
	}
	for i := last - 1; i >= 0; i-- {
		if !strings.HasPrefix(parts[i], "{") {
			return parts[i] + "::" + parts[last]
		}
	}
	return parts[last]
}

// ComparePaths orders path names by their numbers: 0, 0.1, 0.1.1, 0.2, 0.10.
func ComparePaths(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// Names are the labels of threads by their path names.
type Names map[string]string

// Names are those of the run that the result shows, or, if it shows none, of the threads
// that its lists name.
func (r *Result) Names() Names {
	if r.Bug != nil {
		return r.Bug.Names()
	}
	return namesOf(r.ThreadStarts)
}

// Names are those of the bug's run.
func (b *Bug) Names() Names { return namesOf(b.ThreadStarts) }

func namesOf(starts []ThreadStart) Names {
	n := Names{}
	for _, s := range starts {
		if s.Label != "" {
			n[s.Thread] = s.Label
		}
	}
	return n
}

// Of is a thread's label, or its path name if it has none.
func (n Names) Of(path string) string {
	if l := cmp.Or(n[path], timerLabel(path)); l != "" {
		return l
	}
	if of, ok := strings.CutSuffix(path, trace.BufferMark); ok && n[of] != "" {
		return n.Short(of) + "'s stores"
	}
	if of, ok := strings.CutSuffix(path, trace.ArrivalMark); ok && n[of] != "" {
		return n.Short(of) + "'s signal"
	}
	if of, caller, ok := strings.Cut(strings.TrimSuffix(path, trace.BufferMark), trace.BufferMark); ok && n[of] != "" {
		return n.Short(of) + "'s buffer for " + n.Short(caller)
	}
	return path
}

// Short is a thread's label without the function, for where that stands beside it.
func (n Names) Short(path string) string {
	short, _, _ := strings.Cut(n.Of(path), " ")
	return short
}

// Noun is a thread's label, or "thread 0.1" if it has none.
func (n Names) Noun(path string) string {
	if l := n.Of(path); l != path {
		return l
	}
	return "thread " + path
}

// paths matches what may be path names; listed what joins those of a list; before what comes
// before a name without a dot, which may be any number.
var (
	paths  = regexp.MustCompile(`[0-9]+(?:\.t?[0-9]+)*`)
	listed = regexp.MustCompile(`^(?:, | and )$`)
	before = regexp.MustCompile(`(?:\b[Tt]hreads?|creates|joins|detaches|makes runnable|(?:SIG[A-Z0-9]+|signal [0-9]+) to|, which) $`)
	thread = regexp.MustCompile(`\b[Tt]hreads? $`)
)

// In is a text of landgo's own with labels for path names. A number is one if a thread has
// that name, and the words around it are such as stand around names.
func (n Names) In(text string) string {
	var b strings.Builder
	done, list := 0, -1 // list: where the name before ends
	for _, m := range paths.FindAllStringIndex(text, -1) {
		label := n[text[m[0]:m[1]]]
		if label == "" || m[1] < len(text) && isWord(text[m[1]]) {
			continue
		}
		lead := text[done:m[0]]
		ok := before.MatchString(lead) || list >= 0 && listed.MatchString(text[list:m[0]])
		if !ok && strings.Contains(text[m[0]:m[1]], ".") {
			ok = m[0] == 0 || text[m[0]-1] == ' ' || text[m[0]-1] == '('
		}
		if !ok {
			continue
		}
		if at := thread.FindStringIndex(lead); at != nil {
			lead = lead[:at[0]]
		}
		b.WriteString(lead + label)
		done, list = m[1], m[1]
	}
	b.WriteString(text[done:])
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Says is the bug's message with labels for path names. The guest's own words stay as
// they are.
func (b *Bug) Says() string {
	switch b.Kind {
	case trace.Assertion, trace.Output:
		return b.Message
	}
	return b.Names().In(b.Message)
}

// Number is the number in a label, for the order of the legend.
func (s *ThreadStart) Number() int {
	short, _, _ := strings.Cut(s.Label, " ")
	n, err := strconv.Atoi(strings.TrimPrefix(short, "T"))
	if err != nil {
		return -1
	}
	return n
}
