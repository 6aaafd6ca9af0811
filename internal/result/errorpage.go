package result

import (
	"fmt"
	"strings"
)

// ErrorTable is the text of "landgo help errors".
func ErrorTable() string {
	var b strings.Builder
	b.WriteString("Every message of landgo's ends with its name in brackets, under which it is listed\nhere with its exit status, an example, the cause and the cure. \"landgo help errors\nNAME\" shows one.\n")
	for _, p := range Problems {
		b.WriteString("\n" + p.Text())
	}
	return b.String()
}

// Text is an entry of the table.
func (p *Problem) Text() string {
	return fmt.Sprintf("%s (exit status %d)\n  message: %s\n  cause:   %s\n  cure:    %s.\n", p.Kind, p.Status, p.Example, p.Cause, p.Cure)
}

// ErrorPage is docs/errors.md.
func ErrorPage() string {
	var b strings.Builder
	b.WriteString("# Every error, its cause and its cure\n\n")
	b.WriteString("This page is made from the same table as the messages themselves and `landgo help errors`.\n")
	b.WriteString("A message ends with its name in brackets.\n")
	for _, p := range Problems {
		fmt.Fprintf(&b, "\n## %s\n\n", p.Kind)
		fmt.Fprintf(&b, "Exit status %d. For example:\n\n", p.Status)
		fmt.Fprintf(&b, "    landgo: %s\n\n", p.Example)
		fmt.Fprintf(&b, "%s\n\n", p.Cause)
		fmt.Fprintf(&b, "**Cure:** %s.\n", p.Cure)
	}
	return b.String()
}
