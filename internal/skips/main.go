// Command skips reads the output of `go test -json` and prints it as go test does without -json.
// At the end it lists the tests that were skipped, with the reasons.
//
// Its exit status says nothing of the tests: go test's does.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	s := newSummary(out)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		s.line(lines.Bytes())
		out.Flush()
	}
	s.end()
	out.Flush()
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "reading go test's output:", err)
		os.Exit(1)
	}
}
