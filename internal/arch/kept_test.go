package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// kept finds what sets a part of a thread's state without a scheduler.edit.
type kept struct {
	pkg    *packages.Package
	report func(n ast.Node, what string)
}

// isState reports whether a type is a thread's state, or one of the structures that it
// consists of, as they are found in scheduler.thread.
func isState(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == module+"scheduler" &&
		slices.Contains([]string{"thread", "Thread", "stander", "storing", "kin"}, n.Obj().Name())
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
			if isState(k.pkg.TypesInfo.TypeOf(x.X)) {
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
				return
			}
			e = x.X
		default:
			return
		}
	}
}

// within: a field is that of a thread's state which another structure has in it.
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
	return ok && n.Obj().Name() == "edit"
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
		}
	case *ast.IncDecStmt:
		k.set(x.X, "set")
	case *ast.UnaryExpr:
		if t := k.pkg.TypesInfo.TypeOf(x.X); x.Op == token.AND && !isRead(t) && !isState(t) {
			k.set(x.X, "its address taken")
		}
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.SelectorExpr)
		if !ok {
			break
		}
		s := k.pkg.TypesInfo.Selections[f]
		if s == nil || s.Kind() != types.MethodVal || isRead(s.Recv()) || isState(s.Recv()) {
			break
		}
		_, byPointer := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
		if _, is := s.Recv().(*types.Pointer); byPointer && !is {
			k.set(f.X, "its method called")
		}
	}
	return true
}

// isRead: accesses are passed on by their address to be read only.
func isRead(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == module+"internal/trace" && n.Obj().Name() == "Access"
}

// TestThreadsAreKept: a part of a thread's state is set through a scheduler.edit only, which
// has kept the state for a mark to go back to. Edits are made in one place, but for what
// follows from other state, or is set between executions. The rooms
// below, which have Thread in structures of their own, keep theirs by hand.
func TestThreadsAreKept(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Dir: "../..", Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo}, "./scheduler")
	if err != nil {
		t.Fatal(err)
	}
	makers := map[string]int{}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			t.Fatal(pkg.Errors)
		}
		k := kept{pkg: pkg, report: func(n ast.Node, what string) {
			t.Errorf("%v: a thread's state isn't kept here and is %s", pkg.Fset.Position(n.Pos()), what)
		}}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				ast.Inspect(d, k.visit)
				ast.Inspect(d, func(n ast.Node) bool {
					if c, ok := n.(*ast.CompositeLit); ok {
						if name, ok := c.Type.(*ast.Ident); ok && name.Name == "edit" {
							makers[d.(*ast.FuncDecl).Name.Name]++
						}
					}
					return true
				})
			}
		}
	}
	for _, name := range []string{"edit", "Regs", "Await"} {
		if makers[name] != 1 {
			t.Errorf("%s makes %d edits: the test doesn't see what it tests", name, makers[name])
		}
		delete(makers, name)
	}
	if len(makers) > 0 {
		t.Errorf("edits are made in %v", makers)
	}
}
