package result

import (
	"fmt"
	"strings"
)

// ErrorTable is the text of "landgo help errors".
func ErrorTable() string {
	var b strings.Builder
	b.WriteString("Every message of landgo's ends with its name in brackets, under which it is listed\nhere with its exit status, an example, the cause and the cure.\n")
	for _, p := range Problems {
		fmt.Fprintf(&b, "\n%s (exit status %d)\n", p.Kind, p.Status)
		fmt.Fprintf(&b, "  message: %s\n", p.Example)
		fmt.Fprintf(&b, "  cause:   %s\n", p.Cause)
		fmt.Fprintf(&b, "  cure:    %s.\n", p.Cure)
	}
	return b.String()
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
