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
