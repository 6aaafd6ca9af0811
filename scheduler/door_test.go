package scheduler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// pastTheDoor are the functions that read or write the guest's memory other than through
// Touch, or the door of package library, with why they may. What a thread can tell from
// another's isn't among them.
var pastTheDoor = map[string]string{
	"System.Word":      "a word of the thread's own stack: a return address, an argument; see usesOfWord",
	"System.State":     "reports: the digest of an ended execution",
	"System.EndNap":    "touched there: the thread stands at no call",
	"System.words":     "reports: leaks",
	"System.unwritten": "compares two runs",
}

// TestOnlyTheDoorReachesTheGuest: what landgo does to the guest's memory for a thread is
// on record.
func TestOnlyTheDoorReachesTheGuest(t *testing.T) {
	used := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && reaches(s) {
					who := funcName(fn)
					used[who] = true
					if pastTheDoor[who] == "" {
						t.Errorf("%s: %s calls %s: a thread's accesses go through a door", fset.Position(s.Pos()), who, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
	for who := range pastTheDoor {
		if !used[who] {
			t.Errorf("%s doesn't reach the guest's memory any more", who)
		}
	}
}

// reaches reports whether an expression is a method of the machine's that reads or
// writes memory. In this package a machine is called machine, or m.
func reaches(s *ast.SelectorExpr) bool {
	switch s.Sel.Name {
	case "Read", "Read8", "Read32", "Read64", "Bytes", "Write", "Write8", "Write32", "Write64":
	default:
		return false
	}
	switch x := s.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "machine"
	case *ast.Ident:
		return x.Name == "m"
	}
	return false
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	switch r := fn.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return r.X.(*ast.Ident).Name + "." + fn.Name.Name
	case *ast.Ident:
		return r.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}
