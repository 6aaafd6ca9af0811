package result

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Fingerprint names the mistake behind a bug: the same one in two tests, or in the
// programs of two students, has the same name. It is made of the bug's kind, the
// functions of the guest's own code that the cause is about, and the names of the
// variables and locks. Addresses, lines, threads and the input don't count.
func (b *Bug) Fingerprint() string {
	var functions, objects []string
	for i := range b.Accesses {
		a := &b.Accesses[i]
		functions = append(functions, ownFunction(a.Stack))
		objects = append(objects, numberless(a.Symbol))
	}
	for i := range b.Waits {
		w := &b.Waits[i]
		if w.For == "thread" { // main's wait for its threads is in every deadlock
			continue
		}
		functions = append(functions, ownFunction(w.Stack))
		objects = append(objects, w.For+" "+numberless(w.Object))
	}
	for i := range b.Loops {
		functions = append(functions, ownFunction(b.Loops[i].Lines))
		for j := range b.Loops[i].Waits {
			objects = append(objects, numberless(b.Loops[i].Waits[j].Symbol))
		}
	}
	if len(functions) == 0 {
		functions = append(functions, ownFunction(b.Stack))
	}
	text := string(b.Kind) + "\n" + distinct(functions) + "\n" + distinct(objects)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16]
}

// numbers are addresses, lines, offsets and counts in the name of an object.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9]+\b`)

// numberless is an object's name without them.
func numberless(name string) string { return numbers.ReplaceAllString(name, "#") }

// ownFunction is the innermost function of the guest's own code.
func ownFunction(stack []Frame) string {
	f := Innermost(stack)
	if f.File == "" || f.Library {
		return ""
	}
	return f.Function
}

// distinct are the different words of a list, in the order of the alphabet.
func distinct(words []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(words))), "\n")
}
