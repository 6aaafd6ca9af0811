package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"landgo/internal/result"
)

// LCOV writes coverage in lcov's format (geninfo(1)), for editors and genhtml. A line
// counts 1 if some interleaving ran it. A preemption point is a branch with two ways: how
// often its thread went on, and how often another thread ran first.
func LCOV(w io.Writer, c *result.Coverage) error {
	b := bufio.NewWriter(w)
	for i := range c.Files {
		f := &c.Files[i]
		fmt.Fprintf(b, "TN:landgo\nSF:%s\n", oneLine(f.Path))
		lcovFunctions(b, f)
		lcovPoints(b, f, c.Points)
		run := 0
		for _, l := range f.Lines {
			fmt.Fprintf(b, "DA:%d,%d\n", l.Line, one(l.Run))
			run += one(l.Run)
		}
		fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", len(f.Lines), run)
	}
	return b.Flush()
}

// lcovFunctions are the functions of a file, each at its first line.
func lcovFunctions(w io.Writer, f *result.CoveredFile) {
	var names []string
	ran := map[string]bool{}
	for _, l := range f.Lines {
		if _, ok := ran[l.Function]; !ok && l.Function != "" {
			names = append(names, l.Function)
			fmt.Fprintf(w, "FN:%d,%s\n", l.Line, oneLine(l.Function))
		}
		ran[l.Function] = ran[l.Function] || l.Run
	}
	hit := 0
	for _, name := range names {
		fmt.Fprintf(w, "FNDA:%d,%s\n", one(ran[name]), oneLine(name))
		hit += one(ran[name])
	}
	fmt.Fprintf(w, "FNF:%d\nFNH:%d\n", len(names), hit)
}

// lcovPoints are the preemption points of a file.
func lcovPoints(w io.Writer, f *result.CoveredFile, points []result.CoveredPoint) {
	found, hit, block := 0, 0, 0
	for i := range points {
		p := &points[i]
		if p.File != f.File || p.Line == 0 {
			continue
		}
		for way, n := range []uint64{p.Reached - p.Switched, p.Switched} {
			fmt.Fprintf(w, "BRDA:%d,%d,%d,%d\n", p.Line, block, way, n)
			found++
			hit += one(n > 0)
		}
		block++
	}
	fmt.Fprintf(w, "BRF:%d\nBRH:%d\n", found, hit)
}

// oneLine is a name from the guest that ends no line of the document.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
