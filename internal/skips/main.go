// Command skips reads what `go test -json` prints and prints it as go test does without
// that, with one thing more, at the end: which tests were skipped, and why.
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
