//go:build linux && amd64

package linux

import (
	"go/constant"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestNumbers: the numbers of Linux that are written down here and in package abi are those of
// golang.org/x/sys/unix, where that has one of the same name. (It can't be used itself: its
// numbers are those of the machine that landgo is built for, and a guest's are always of x86-64.)
func TestNumbers(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes},
		"golang.org/x/sys/unix", "landgo/internal/abi", ".")
	if err != nil || len(pkgs) != 3 {
		t.Fatalf("%d packages: %v", len(pkgs), err)
	}
	theirs := map[string]uint64{}
	ours := []*types.Scope{}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			t.Fatal(pkg.Errors)
		}
		if pkg.Name != "unix" {
			ours = append(ours, pkg.Types.Scope())
			continue
		}
		for _, name := range pkg.Types.Scope().Names() {
			if v, ok := numberOf(pkg.Types.Scope(), name); ok && strings.ToUpper(name) == name {
				theirs[plainName(name)] = v
			}
		}
	}
	known := 0
	for _, scope := range ours {
		for _, name := range scope.Names() {
			got, ok := numberOf(scope, name)
			want, there := theirs[plainName(name)]
			if !ok || !there || otherThan[name] {
				continue
			}
			known++
			if got != want && got != -want {
				t.Errorf("%s is %#x, and %#x in Linux", name, got, want)
			}
		}
	}
	if known < 250 {
		t.Errorf("only %d numbers are known", known)
	}
	t.Log(known, "numbers")
	for nr, name := range callNames {
		if want, there := theirs[plainName("sys"+name)]; there && want != uint64(nr) {
			t.Errorf("call %d is named %s, which is %d", nr, name, want)
		}
	}
	for nr := range table {
		if r := &table[nr]; r.do != nil && r.name != callNames[nr] {
			t.Errorf("row %d of the table is named %s, and the call %s", nr, r.name, callNames[nr])
		}
	}
}

// otherThan are names that mean something else here than in Linux.
var otherThan = map[string]bool{"statxSize": true}

// plainName is the same for sysEpollCreate and SYS_EPOLL_CREATE.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

func numberOf(scope *types.Scope, name string) (uint64, bool) {
	c, ok := scope.Lookup(name).(*types.Const)
	if !ok || c.Val().Kind() != constant.Int {
		return 0, false
	}
	if v, exact := constant.Uint64Val(c.Val()); exact {
		return v, true
	}
	v, exact := constant.Int64Val(c.Val())
	return uint64(v), exact
}
