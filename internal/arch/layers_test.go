package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestLayers: in a large room, calls between files go one way, but within a knot: files of which
// each calls its way to every other one. The numbers are today's. A knot gets larger where a function that
// many files call lies beside one that calls many files: move one of them.
func TestLayers(t *testing.T) {
	most := map[string]int{
		"scheduler": 4, "scheduler/library": 16, "scheduler/steer": 27, "internal/explore": 33, "por": 11,
	}
	for _, pkg := range typed(t, "./scheduler/...", "./internal/explore", "./por") {
		most, ok := most[strings.TrimPrefix(pkg.PkgPath, module)]
		if knot := largestKnot(calls(pkg)); ok && len(knot) > most {
			t.Errorf("%s: %d files call each other in a circle, more than %d: %v", pkg.PkgPath, len(knot), most, knot)
		}
	}
}

// calls has for each file of a package the others whose functions and methods it calls; an interface's
// methods are where the interface is.
func calls(pkg *packages.Package) map[string][]string {
	file := func(p token.Pos) string { return filepath.Base(pkg.Fset.Position(p).Filename) }
	to := map[string][]string{}
	for _, f := range pkg.Syntax {
		from := file(f.Pos())
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			var id *ast.Ident
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				id = fun
			case *ast.SelectorExpr:
				id = fun.Sel
			default:
				return true
			}
			fn, ok := pkg.TypesInfo.Uses[id].(*types.Func)
			if ok && fn.Pkg() == pkg.Types {
				if at := file(fn.Origin().Pos()); at != from && !slices.Contains(to[from], at) {
					to[from] = append(to[from], at)
				}
			}
			return true
		})
	}
	return to
}

// largestKnot is the largest set of nodes of a graph that all reach each other, sorted.
func largestKnot(to map[string][]string) (knot []string) {
	reach := map[string]map[string]bool{}
	for from := range to {
		reach[from] = map[string]bool{}
		for rest := []string{from}; len(rest) > 0; {
			n := rest[0]
			rest = rest[1:]
			for _, next := range to[n] {
				if !reach[from][next] {
					reach[from][next] = true
					rest = append(rest, next)
				}
			}
		}
	}
	for a := range reach {
		var all []string
		for b := range reach {
			if reach[a][b] && reach[b][a] {
				all = append(all, b)
			}
		}
		if len(all) > len(knot) {
			knot = all
		}
	}
	slices.Sort(knot)
	return knot
}

// TestLargestKnot: two circles that share a node are one knot; what leads there, and away, isn't in it.
func TestLargestKnot(t *testing.T) {
	to := map[string][]string{"in": {"a"}, "a": {"b", "c"}, "b": {"a"}, "c": {"a", "out"}, "x": {"y"}, "y": {"x"}}
	if got := largestKnot(to); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the largest knot is %v", got)
	}
}
