package result

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// FingerprintOf is a name for the mistake behind a bug: the same mistake has the same
// one in another test, another program, another build. It is made of the kind, of the
// functions in which the accesses or the waits of the cause are, and of the names of
// variables and locks there. A bug without a cause has its message instead. Addresses,
// line numbers, thread numbers and input aren't in it.
//
// own tells which frames are of the code that is in question; nil: those of the user's
// sources. In each stack the innermost such frame counts.
func (b *Bug) FingerprintOf(own func(Frame) bool) string {
	sum := sha256.Sum256([]byte(strings.Join(b.Mistakes(own), "\x00")))
	return fmt.Sprintf("%s-%x", b.Kind, sum[:4])
}

// Mistakes are the parts of a fingerprint in words, the kind first: "deadlock",
// "push waits for mutex lock".
func (b *Bug) Mistakes(own func(Frame) bool) []string {
	users := func(f Frame) bool { return f.File != "" && !f.Library }
	var parts []string
	for _, which := range []func(Frame) bool{own, users} {
		if which != nil && len(parts) == 0 {
			parts = b.operations(which)
		}
	}
	for _, s := range b.ThreadStarts { // the thread is at its end, or in a library
		if s.Thread == b.Thread && len(parts) == 0 {
			parts = []string{functionName(s.Function) + " fails: " + withoutNumbers(b.Message)}
		}
	}
	if len(parts) == 0 { // there are no lines
		parts = b.operations(func(Frame) bool { return true })
	}
	slices.Sort(parts)
	return append([]string{string(b.Kind)}, slices.Compact(parts)...)
}

// operations are those of a bug's cause that are in some code, in words; if the cause
// has none there, where the failing thread stands.
func (b *Bug) operations(own func(Frame) bool) (parts []string) {
	add := func(stack []Frame, format string, args ...any) {
		for _, f := range stack {
			if f.Function != "" && own(f) {
				parts = append(parts, functionName(f.Function)+" "+fmt.Sprintf(format, args...))
				return
			}
		}
	}
	for _, a := range b.Accesses {
		add(a.Stack, "accesses %s", variableName(a.Symbol))
	}
	for _, w := range b.Waits {
		if w.For != "thread" { // the thread that waits for the others is in every deadlock
			add(w.Stack, "waits for %s %s", w.For, variableName(w.Object))
		}
	}
	for _, l := range b.Loops {
		for _, a := range l.Waits {
			add(a.Stack, "spins on %s", variableName(a.Symbol))
		}
		if len(l.Waits) == 0 {
			add(l.Lines, "spins")
		}
	}
	if b.Block != nil {
		if b.Block.Freed != nil {
			add(b.Block.Freed.Stack, "frees the block")
		}
		add(b.Stack, "uses the block")
	}
	if len(parts) == 0 { // nothing is known but how it fails
		add(b.Stack, "fails: %s", withoutNumbers(b.Message))
	}
	return parts
}

// functionName leaves off what compilers add to the names of a function's copies and
// parts: "push.constprop.0", "push.cold".
func functionName(name string) string {
	for _, mark := range []string{".constprop", ".isra", ".part", ".cold", ".lto_priv", ".llvm"} {
		if at := strings.Index(name, mark); at > 0 {
			name = name[:at]
		}
	}
	return name
}

// variableName leaves off which of many a variable is: offsets, and the numbers of
// elements, blocks and threads. It leaves off the object of a member, which is the
// caller's: a.lock and b.lock are .lock.
func variableName(symbol string) string {
	base, _, _ := strings.Cut(symbol, "+")
	base = strings.TrimSpace(base)
	if base == "" || strings.HasPrefix(base, "0x") {
		return "memory"
	}
	if at := strings.LastIndexByte(base, '.'); at > 0 && !strings.Contains(base, " ") && isLetter(base[at+1:]) {
		base = base[at:]
	}
	return withoutNumbers(base)
}

// isLetter reports whether a text begins as a name does.
func isLetter(s string) bool {
	return s != "" && (s[0] == '_' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' || s[0] >= 0x80)
}

// withoutNumbers replaces what is a number or a thread's name, or between brackets, and
// keeps digits that are part of a name: "table[3]" is "table[]".
func withoutNumbers(s string) string {
	var b strings.Builder
	inName := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		digit := c >= '0' && c <= '9'
		letter := isLetter(s[i:])
		switch {
		case c == '[':
			if end := strings.IndexByte(s[i:], ']'); end > 0 {
				b.WriteString("[]")
				i += end
				inName = true
				continue
			}
			b.WriteByte(c)
		case digit && !inName:
			for i+1 < len(s) && isNumberPart(s[i+1]) {
				i++
			}
			b.WriteByte('#')
			continue
		default:
			b.WriteByte(c)
		}
		inName = letter || digit && inName
	}
	return b.String()
}

func isNumberPart(c byte) bool {
	return c == '.' || c == 'x' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
