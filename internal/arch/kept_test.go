package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// kept finds what sets a part of a state that goes back with a mark without an edit.
type kept struct {
	pkg    *packages.Package
	report func(n ast.Node, what string)
	// looks are the variables with the address of a part of a state that is only looked at.
	looks  map[types.Object]bool
	looked *ast.UnaryExpr // where such an address was taken last
}

// state are the structures that the state of threads consists of, by room. The
// compiler keeps that of objects (undo.Values).
var state = map[string][]string{
	"scheduler":         {"thread", "Thread", "stander", "storing", "kin"},
	"scheduler/stores":  {"Buffer"},
	"scheduler/library": {"thread", "life", "call"},
	"scheduler/steer":   {"thread"},
	"heap":              {"Block", "room", "part", "Arena"},
	"kernel/bare":       {"Board", "controller", "local", "io", "serial", "channel", "drive"},
}

// edits are the types through which it may be set.
var edits = []string{"edit", "objectEdit"}

// isState reports whether a type is one of these structures, or points to one.
func isState(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && slices.Contains(state[strings.TrimPrefix(n.Obj().Pkg().Path(), module)], n.Obj().Name())
}

// set is called for an expression that is assigned to, or whose address is taken.
func (k *kept) set(e ast.Expr, what string) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			if _, ok := k.pkg.TypesInfo.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return // an element of a slice is no part of the structure
			}
			e = x.X
		case *ast.StarExpr:
			if v, ok := x.X.(*ast.Ident); ok && k.looks[k.pkg.TypesInfo.ObjectOf(v)] {
				k.report(e, what)
			} else if isState(k.pkg.TypesInfo.TypeOf(x.X)) {
				k.from(x.X, what)
			}
			return
		case *ast.SelectorExpr:
			t := k.pkg.TypesInfo.TypeOf(x.X)
			if isState(t) || k.within(x) {
				k.from(x.X, what)
				return
			}
			if _, ok := t.Underlying().(*types.Pointer); ok {
				if v, ok := x.X.(*ast.Ident); ok && k.looks[k.pkg.TypesInfo.ObjectOf(v)] {
					k.report(e, what)
				}
				return
			}
			e = x.X
		default:
			return
		}
	}
}

// within: a field is that of a state which another structure has in it.
func (k *kept) within(x *ast.SelectorExpr) bool {
	s := k.pkg.TypesInfo.Selections[x]
	if s == nil || isEdit(s.Recv()) {
		return false
	}
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if t = t.Underlying().(*types.Struct).Field(i).Type(); isState(t) {
			return true
		}
	}
	return false
}

func isEdit(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && slices.Contains(edits, n.Obj().Name())
}

// from is called for the state that something of is set in. A variable that holds a copy may be set.
func (k *kept) from(e ast.Expr, what string) {
	if s, ok := e.(*ast.SelectorExpr); ok { // e.thread, of an edit
		if isEdit(k.pkg.TypesInfo.TypeOf(s.X)) {
			return
		}
	}
	_, pointer := k.pkg.TypesInfo.TypeOf(e).(*types.Pointer)
	if _, variable := e.(*ast.Ident); pointer || !variable {
		k.report(e, what)
	}
}

func (k *kept) visit(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.AssignStmt:
		if x.Tok != token.DEFINE {
			for _, l := range x.Lhs {
				k.set(l, "set")
			}
		} else if len(x.Lhs) == len(x.Rhs) {
			for i, r := range x.Rhs {
				k.look(x.Lhs[i].(*ast.Ident), r)
			}
		}
	case *ast.IncDecStmt:
		k.set(x.X, "set")
	case *ast.UnaryExpr:
		if t := k.pkg.TypesInfo.TypeOf(x.X); x.Op == token.AND && x != k.looked && !isNamed(t, "internal/trace", "Access") && !isState(t) {
			k.set(x.X, "its address taken")
		}
	case *ast.CallExpr:
		for _, a := range x.Args {
			if v, ok := a.(*ast.Ident); ok && k.looks[k.pkg.TypesInfo.ObjectOf(v)] && !isRead(k.pkg.TypesInfo.TypeOf(v).(*types.Pointer).Elem()) {
				k.report(a, "given away by its address")
			}
		}
		f, ok := x.Fun.(*ast.SelectorExpr)
		if !ok {
			break
		}
		s := k.pkg.TypesInfo.Selections[f]
		if s == nil || s.Kind() != types.MethodVal || isNamed(s.Recv(), "internal/trace", "Access") || isState(s.Recv()) {
			break
		}
		_, byPointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
		if _, is := s.Recv().(*types.Pointer); byPointer && !is {
			k.set(f.X, "its method called")
		}
	}
	return true
}

// look is called for a variable that is made. With the address of a part of a state, which
// isn't an edit's, it is to look at only: what is set through it is reported.
func (k *kept) look(v *ast.Ident, e ast.Expr) {
	a, ok := e.(*ast.UnaryExpr)
	if !ok || a.Op != token.AND || isState(k.pkg.TypesInfo.TypeOf(a.X)) {
		return
	}
	report := k.report
	k.report = func(ast.Node, string) { k.looks[k.pkg.TypesInfo.Defs[v]] = true }
	k.set(a.X, "")
	k.report = report
	k.looked = a
}

// isRead: accesses and registers are passed on by their address to be read only.
func isRead(t types.Type) bool {
	return isNamed(t, "internal/trace", "Access") || isNamed(t, "emu", "Regs")
}

func isNamed(t types.Type, path, name string) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == module+path && n.Obj().Name() == name
}

// typed is the packages of a pattern, with their types.
func typed(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: "../..", Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo}, patterns...)
	if err != nil || len(pkgs) == 0 {
		t.Fatalf("%v: %d packages: %v", patterns, len(pkgs), err)
	}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			t.Fatal(pkg.Errors)
		}
	}
	return pkgs
}

// TestStateIsKept: in the rooms of the scheduler, the state of a thread is set
// through an edit only. To make one has kept the state for a mark to go back to. Each room makes
// its edits in one place, but for what is new, goes back, follows from other state, or is set
// between executions. Only there does a room ask the core to keep a thread.
func TestStateIsKept(t *testing.T) {
	pkgs := typed(t, "./scheduler/...")
	makers, savers := map[string]int{}, map[string]int{}
	for _, pkg := range pkgs {
		k := kept{pkg: pkg, looks: map[types.Object]bool{}, report: func(n ast.Node, what string) {
			t.Errorf("%v: a state isn't kept here and is %s", pkg.Fset.Position(n.Pos()), what)
		}}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				ast.Inspect(d, k.visit)
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := pkg.Name + "." + f.Name.Name
				ast.Inspect(f, func(n ast.Node) bool {
					switch x := n.(type) {
					case *ast.CompositeLit:
						if of, ok := x.Type.(*ast.Ident); ok && slices.Contains(edits, of.Name) {
							makers[name]++
						}
					case *ast.SelectorExpr:
						if s := pkg.TypesInfo.Selections[x]; s != nil && x.Sel.Name == "Save" && pkg.Name != "scheduler" {
							savers[name]++
						}
					}
					return true
				})
			}
		}
	}
	if want := map[string]int{"scheduler.edit": 1, "scheduler.Regs": 1, "scheduler.Await": 1, "library.edit": 1, "steer.edit": 1, "library.change": 1, "library.objectOf": 1}; !maps.Equal(makers, want) {
		t.Errorf("edits are made in %v, and not in %v", makers, want)
	}
	if want := map[string]int{"library.edit": 1, "steer.edit": 1}; !maps.Equal(savers, want) {
		t.Errorf("threads are kept in %v, and not in %v", savers, want)
	}
}

// TestHeapIsKept: what changes in a heap is set where its old value is logged. The addresses of an
// arena are for good.
func TestHeapIsKept(t *testing.T) {
	sites := setsIn(t, "./heap", "last")
	if want := map[string]int{"setLast": 1, "setFreed": 2, "setNext": 1, "setFree": 1, "setLink": 1, "Rewind": 6, "Low": 2, "Far": 1}; !maps.Equal(sites, want) {
		t.Errorf("a heap is changed in %v, and not in %v", sites, want)
	}
}

// TestBoardIsKept: what a device has is set by the machine's log (Machine.Set), before anything
// has run, or as the sectors of a disk, which note what takes them back. Of the output only the
// bytes count that are printed, by a word.
func TestBoardIsKept(t *testing.T) {
	sites := setsIn(t, "./kernel/bare", "written")
	if want := map[string]int{"New": 3, "resetAPICs": 4, "Thaw": 14, "print": 1, "write": 2}; !maps.Equal(sites, want) {
		t.Errorf("a board is changed in %v, and not in %v", sites, want)
	}
}

// setsIn counts where a package sets a part of its state (state), or an element of a map in it,
// by function.
func setsIn(t *testing.T, pattern, elements string) map[string]int {
	pkg, sites := typed(t, pattern)[0], map[string]int{}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			k := kept{pkg: pkg, looks: map[types.Object]bool{}, report: func(n ast.Node, what string) {
				if what == "set" {
					sites[f.Name.Name]++
				}
			}}
			ast.Inspect(f, k.visit)
			ast.Inspect(f, func(n ast.Node) bool {
				if a, ok := n.(*ast.AssignStmt); ok && setsMap(a, elements) {
					sites[f.Name.Name]++
				}
				return true
			})
		}
	}
	return sites
}

// setsMap reports whether an assignment sets an element of a field.
func setsMap(a *ast.AssignStmt, field string) bool {
	return slices.ContainsFunc(a.Lhs, func(l ast.Expr) bool {
		x, ok := l.(*ast.IndexExpr)
		if !ok {
			return false
		}
		f, ok := x.X.(*ast.SelectorExpr)
		return ok && f.Sel.Name == field
	})
}
