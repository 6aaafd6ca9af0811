// Package arch holds no code: its test keeps the direction of the imports
// between landgo's packages (ARCHITECTURE.md has the picture).
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "landgo/"

// ofImage are internal/image and those of its rooms that others ask.
var ofImage = []string{
	"internal/image", "internal/image/elffile", "internal/image/linked", "internal/image/x86", "internal/image/debuginfo",
	"internal/image/static", "internal/image/libc", "internal/image/profile",
}

// may lists, for each package, which packages of landgo it may import. A
// package below one that is named here ("kernel" for "kernel/linux") has its
// parent's rights, and may import its parent.
var may = map[string][]string{
	"internal/abi":       {},
	"internal/trace":     {},
	"internal/host":      {},
	"internal/firstheap": {},
	"internal/confine":   {},
	"internal/yaml":      {},
	"internal/image":     {"internal/trace", "internal/host"},
	// Its rooms: each may import those above it.
	"internal/image/elffile":   {"internal/host"},
	"internal/image/linked":    {"internal/host", "internal/image/elffile"},
	"internal/image/x86":       {"internal/trace", "internal/image/elffile"},
	"internal/image/fields":    {},
	"internal/image/unwind":    {"internal/trace", "internal/image/elffile", "internal/image/x86", "internal/image/fields"},
	"internal/image/debuginfo": {"internal/trace", "internal/image/elffile", "internal/image/fields", "internal/image/unwind"},
	"internal/image/static":    {"internal/trace", "internal/image/elffile", "internal/image/x86", "internal/image/debuginfo"},
	"internal/image/libc":      {"internal/image/elffile", "internal/image/debuginfo"},
	"internal/image/profile":   {"internal/trace", "internal/yaml", "internal/image/elffile", "internal/image/debuginfo", "internal/image/static", "internal/image/libc"},
	"emu":                      {"internal/trace"},
	"kernel":                   {"internal/image/elffile", "internal/image/x86", "internal/image/profile", "emu", "internal/trace"},
	"heap":                     {"internal/trace"},
	"race":                     {"internal/trace"},
	"internal/linear":          {},
	"scheduler":                append([]string{"kernel", "emu", "heap", "internal/trace"}, ofImage...),
	// They know no machine.
	"scheduler/names":   {"internal/trace"},
	"scheduler/stores":  {"internal/trace"},
	"scheduler/undo":    {"internal/trace"},
	"scheduler/known":   {"internal/trace"},
	"scheduler/spins":   {"internal/image/x86", "internal/trace"},
	"scheduler/witness": {"internal/trace"},
	// Its rooms know nothing of each other.
	"scheduler/library": append([]string{"scheduler", "scheduler/known", "scheduler/undo", "kernel", "emu", "heap", "internal/linear", "internal/trace"}, ofImage...),
	"scheduler/steer":   append([]string{"scheduler", "scheduler/known", "scheduler/spins", "kernel", "emu", "heap", "internal/trace"}, ofImage...),
	"por":               {"internal/trace", "internal/host", "por/relation", "por/readsfrom", "por/trust"},
	// It knows no search.
	"por/relation": {"internal/trace"},
	// It knows no other search.
	"por/readsfrom":    {},
	"por/trust":        {"internal/trace", "por/relation"},
	"internal/deepen":  {"internal/trace"},
	"internal/result":  {"internal/trace", "internal/host"},
	"internal/explore": append([]string{"internal/trace", "emu", "kernel", "heap", "race", "scheduler", "scheduler/witness", "por", "internal/deepen", "internal/result", "internal/debugger"}, ofImage...),
	// Its rooms: each may import those above it.
	"internal/explore/config":  {"internal/trace", "internal/confine", "internal/image/linked", "internal/image/profile", "por", "internal/result"},
	"internal/explore/limits":  {"internal/host", "internal/result", "internal/explore/config"},
	"internal/explore/saved":   {"internal/trace", "internal/host", "emu", "kernel", "race", "scheduler", "scheduler/witness", "por", "internal/deepen", "internal/result", "internal/explore/config"},
	"internal/explore/session": append([]string{"internal/trace", "internal/host", "emu", "kernel", "race", "scheduler", "scheduler/witness", "scheduler/library", "scheduler/steer", "por", "internal/result", "internal/explore/config", "internal/explore/limits", "internal/explore/saved"}, ofImage...),
	"internal/explore/story":   {"internal/trace", "heap", "race", "scheduler", "scheduler/witness", "por", "internal/result", "internal/explore/config", "internal/explore/session"},
	// It knows no machine.
	"internal/explore/story/record": {"internal/trace", "por", "internal/result"},
	// It knows no session.
	"internal/explore/story/cause": {"internal/trace", "heap", "scheduler", "internal/result", "internal/explore/story/record"},
	"internal/explore/travel":      {"internal/trace", "internal/debugger", "emu", "scheduler", "por", "internal/result", "internal/explore/session", "internal/explore/story"},
	"internal/explore/byhand":      {"internal/trace", "internal/debugger", "scheduler", "por", "internal/result", "internal/explore/session", "internal/explore/story"},
	"internal/explore/shorter":     {"internal/trace", "por", "scheduler", "internal/explore/session"},
	"internal/explore/races":       {"internal/trace", "race", "scheduler", "por", "internal/result", "internal/explore/config", "internal/explore/saved", "internal/explore/session", "internal/explore/story"},
	"internal/page":                {"internal/result", "internal/trace"},
	"internal/report":              {"internal/result", "internal/trace"},
	"internal/format":              {"internal/report", "internal/result", "internal/trace"},
	// Between the two processes.
	"internal/debugger":  {"internal/trace"},
	"internal/gdbserver": {"internal/debugger", "internal/trace"},
	"internal/dap":       {},
	"internal/choose":    {"internal/debugger", "internal/result"},
	"internal/wire":      {"internal/confine", "internal/debugger", "internal/host", "internal/result", "internal/explore/config"},
	"internal/process":   {"internal/confine", "internal/debugger", "internal/host", "internal/result", "internal/explore/config", "internal/wire"},
	"internal/sources":   {"internal/result", "internal/explore/config"},
	"internal/course":    {"internal/trace", "internal/yaml", "internal/result", "internal/explore/config"},
	"internal/grade":     {"internal/course", "internal/confine", "internal/sources", "internal/report", "internal/format", "internal/page", "internal/result", "internal/explore/config", "internal/wire"},
	// A room of its own for what landgo and landgo-class both know.
	"internal/grade/flags": {"internal/confine", "internal/explore/config", "internal/result"},
	"internal/queue":       {"internal/grade", "internal/grade/flags", "internal/confine", "internal/explore/config", "internal/result", "internal/wire"},
	// They have no C in them: the emulator is in the other process. The first has no
	// network either, but for the socket of a debugger on the same machine.
	"cmd/landgo":        {"internal/firstheap", "internal/choose", "internal/course", "internal/dap", "internal/debugger", "internal/gdbserver", "internal/grade/flags", "internal/wire", "internal/process", "internal/sources", "internal/host", "internal/confine", "internal/explore/config", "internal/page", "internal/report", "internal/format", "internal/result", "guests"},
	"cmd/landgo-class":  {"internal/course", "internal/grade", "internal/grade/flags", "internal/queue", "internal/wire", "internal/process", "internal/confine", "internal/explore/config", "internal/report", "internal/result"},
	"cmd/landgo-engine": {"internal/firstheap", "internal/wire", "internal/debugger", "internal/host", "internal/confine", "internal/explore", "internal/explore/config", "internal/explore/limits", "internal/result", "emu"},
	"guests":            {"internal/trace"},
	"internal":          {"guests", "internal/result", "internal/trace"},
	// It looks at its own heap while it searches.
	"internal/bench": {"guests", "internal/result", "internal/explore", "internal/explore/config", "internal/explore/config", "por", "internal"},
	"internal/setup": {},
	// The programs that tests of internal/image share are built as those of all tests.
	"internal/image/imagetest": {"internal"},
	"internal/litmus":          {},
	"emu/emutest":              {"emu", "internal/trace"},
}

// cgo lists the packages that may contain C.
var cgo = []string{"emu"}

type imports struct{ plain, test []string }

// list asks the go command for landgo's packages and what they import, cgo
// files included.
func list(t *testing.T) map[string]imports {
	t.Helper()
	const format = `{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}`
	folders, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "-e", "-f", format}
	for _, f := range folders {
		// Other packages' tests build and remove programs in bin while go looks.
		if name := f.Name(); f.IsDir() && name != "bin" && name[0] != '.' {
			args = append(args, module+name+"/...")
		}
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]imports{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, "|")
		packages[strings.TrimPrefix(f[0], module)] = imports{strings.Fields(f[1]), strings.Fields(f[2])}
	}
	return packages
}

// room is the entry of may that governs a package: the longest that is it or
// is above it.
func room(pkg string) (string, bool) {
	for p := pkg; ; {
		if _, ok := may[p]; ok {
			return p, true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return "", false
		}
		p = p[:i]
	}
}

// numbers are for all.
const numbers = "internal/abi"

// allowed reports whether package from may import package to.
func allowed(from, to string) bool {
	if to == numbers {
		return true
	}
	r, ok := room(from)
	if !ok {
		return false
	}
	other, ok := room(to)
	// internal is a parent by its name only.
	if other == r || r != "internal" && strings.HasPrefix(to, r+"/") {
		return true
	}
	return ok && slices.Contains(may[r], other)
}

func TestImports(t *testing.T) {
	packages := list(t)
	if len(packages) < 5 {
		t.Fatalf("go list knows only %d packages", len(packages))
	}
	for pkg, imp := range packages {
		if _, ok := room(pkg); !ok {
			t.Errorf("package %s has no line in ARCHITECTURE.md's table (may in this test)", pkg)
			continue
		}
		for _, to := range imp.plain {
			if to == "C" && !slices.Contains(cgo, pkg) {
				t.Errorf("%s uses cgo: C belongs in emu", pkg)
			}
			if rest, ours := strings.CutPrefix(to, module); ours && !allowed(pkg, rest) {
				t.Errorf("%s imports %s", pkg, rest)
			}
		}
	}
}

// TestWithoutUnicorn keeps the packages that must build and be tested without
// the emulator free of it, in their tests too.
func TestWithoutUnicorn(t *testing.T) {
	packages := list(t)
	for _, free := range []string{"internal/trace", "internal/image", "heap", "race", "scheduler/names", "scheduler/stores", "scheduler/undo", "scheduler/known", "scheduler/spins", "scheduler/witness", "por", "por/relation", "por/readsfrom", "por/trust", "internal/explore/story/record", "internal/result", "internal/report", "internal/format", "internal/host", "internal/debugger", "internal/gdbserver", "internal/choose", "internal/wire", "internal/process", "internal/sources", "internal/course", "internal/grade", "internal/queue", "internal/yaml", "cmd/landgo", "cmd/landgo-class"} {
		for pkg, imp := range packages {
			if r, _ := room(pkg); r != free && !strings.HasPrefix(r, free+"/") {
				continue
			}
			for _, to := range append(imp.plain, imp.test...) {
				if strings.HasPrefix(to, module) && reaches(packages, strings.TrimPrefix(to, module), "emu") {
					t.Errorf("%s needs emu, through %s", pkg, to)
				}
			}
		}
	}
}

// TestEngineLicences: Unicorn is partly under version 2 of the GPL only. All that is
// linked with it is under a licence that goes with that version (RATIONALE.md).
func TestEngineLicences(t *testing.T) {
	fits := []string{"landgo", "golang.org/x/arch", "golang.org/x/sys", "github.com/goccy/go-yaml", "github.com/ianlancetaylor/demangle"}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module+"cmd/landgo-engine").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, m := range slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(out))))) {
		if !slices.Contains(fits, m) {
			t.Errorf("the engine links %s: say in RATIONALE.md why its licence fits", m)
		}
	}
}

func reaches(packages map[string]imports, from, to string) bool {
	if from == to {
		return true
	}
	for _, next := range packages[from].plain {
		if rest, ours := strings.CutPrefix(next, module); ours && reaches(packages, rest, to) {
			return true
		}
	}
	return false
}

// TestAllowed is the table's own test: a rule that lets everything through
// would pass the tests above.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"por", "internal/trace", true},
		{"por", "emu", false},
		{"por", "por/model", true},
		{"por", "por/relation", true},
		{"por/relation", "por", false},
		{"por/trust", "por", false},
		{"internal/trace", "por", false},
		{"kernel/linux", "kernel", true},
		{"kernel/linux", "emu", true},
		{"kernel/linux", "scheduler", false},
		{"internal/report", "internal/result", true},
		{"internal/report", "internal/explore", false},
		{"cmd/landgo", "internal/explore", false},
		{"cmd/landgo-engine", "internal/explore", true},
		{"internal/explore", "internal/explore/story", true},
		{"internal/explore/story", "internal/explore", false},
		{"internal/explore/config", "emu", false},
		{"emu", "kernel", false},
		{"elsewhere", "internal/trace", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("allowed(%q, %q) = %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

// inParentheses finds what a map says of a file: the names there are no entries.
var inParentheses = regexp.MustCompile(`\([^()]*\)`)

// TestMapsOfFiles: what doc.go says of the files of a room names each.
func TestMapsOfFiles(t *testing.T) {
	for _, room := range []string{
		"scheduler", "scheduler/library", "scheduler/steer", "scheduler/spins", "scheduler/witness", "por/trust", "kernel/linux", "race", "emu",
		"internal/explore", "internal/explore/config", "internal/explore/session", "internal/explore/story", "internal/explore/shorter", "internal/explore/story/record", "internal/explore/story/cause",
		"internal/image/debuginfo", "internal/image/static", "internal/image/elffile", "internal/image/profile",
		"internal/result", "internal/bench", "cmd/landgo", "internal/report", "kernel/bare", "kernel/pebbles",
		"por/internal/model", "internal/papers", "internal/study", "internal/trace", "internal/format",
		"internal/image/unwind", "internal/image/x86", "internal/process", "internal/confine", "internal/host", "internal/wire",
		"internal/choose", "internal/explore/travel", "internal/explore/saved", "internal/explore/races", "internal/debugger",
		"internal/gdbserver", "internal/page", "internal/litmus", "internal/corrupt", "internal/course", "internal/deepen",
		"guests/enumerate", "guests/outside", "kernel", "heap", "por", "por/relation",
	} {
		dir := filepath.Join("..", "..", room)
		text, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		_, list, found := strings.Cut(string(text), "# The files")
		if !found {
			t.Fatalf("%s has no map of files", room)
		}
		list, _, _ = strings.Cut(list, "\npackage ")
		list = inParentheses.ReplaceAllString(list, "")
		words := strings.FieldsFunc(list, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) < 4 {
			t.Fatalf("%s has %d files: %v", room, len(files), err)
		}
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".go")
			test := strings.HasSuffix(name, "_test")
			name, _, _ = strings.Cut(name, "_") // as on one system, or one processor
			if !test && name != "doc" && !slices.Contains(words, name) {
				t.Errorf("%s/doc.go doesn't say what %s is for", room, f)
			}
		}
	}
}

// TestCoreKnowsNoGuest: the core of the scheduler speaks of threads, calls and kernels, and of no
// library's or kernel's own. Nor does it compare with the name of a call of Linux, or print one.
func TestCoreKnowsNoGuest(t *testing.T) {
	calls := textsIn(t, "../../kernel/linux/names.go")
	if len(calls) < 300 || !calls["exit_group"] || !calls["alarm"] {
		t.Fatalf("%d calls of Linux are known", len(calls))
	}
	files, err := filepath.Glob("../../scheduler/*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"pebbles", "Pebbles", "pthread_", "libc", "C library", "stdio", "malloc(", "musl", "membarrier", "futex(", "Pintos", "xv6"} {
			if !strings.HasSuffix(f, "_test.go") && strings.Contains(string(text), name) {
				t.Errorf("%s speaks of %s", f, name)
			}
		}
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for text := range textsIn(t, f) {
			for _, word := range strings.Fields(text) {
				if calls[word] && (word == text || strings.ContainsRune(word, '_') || word == "membarrier") {
					t.Errorf("%s names the call %s of Linux: %q", f, word, text)
				}
			}
		}
	}
}

// textsIn are the texts in a file, but for the packages that it imports.
func textsIn(t *testing.T, name string) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts[text] = true
		}
		return true
	})
	return texts
}

// mostMethods is how many methods an interface may have, with those of the interfaces that it is
// made of: one that has more is cut by its callers. A constraint is an interface too.
const mostMethods = 8

func TestNarrowInterfaces(t *testing.T) {
	named, nameless := map[string]methods{}, map[string]methods{}
	files := token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && len(name) > 2 && (name[0] == '.' || name == "bin") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		room := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.TypeSpec:
				if list, ok := x.Type.(*ast.InterfaceType); ok {
					named[room+"."+x.Name.Name] = methodsOf(list, file, room)
				}
			case *ast.InterfaceType:
				nameless[files.Position(x.Pos()).String()] = methodsOf(x, file, room)
			}
			return true
		})
		return nil
	})
	if err != nil || len(nameless) < 50 || len(named) < 50 {
		t.Errorf("%d interfaces seen, %d with names: %v", len(nameless), len(named), err)
	}
	for at, m := range nameless {
		if n := m.count(named); n > mostMethods {
			t.Errorf("%s: an interface of %d methods", at, n)
		}
	}
}

// methods are those of an interface, and the interfaces that it is made of, by room and name.
type methods struct {
	own    int
	others []string
}

// methodsOf reads an interface of a file in a room.
func methodsOf(list *ast.InterfaceType, file *ast.File, room string) (m methods) {
	for _, f := range list.Methods.List {
		m.own += len(f.Names)
		switch x := f.Type.(type) {
		case *ast.Ident:
			m.others = append(m.others, room+"."+x.Name)
		case *ast.SelectorExpr:
			of := x.X.(*ast.Ident).Name
			for _, i := range file.Imports {
				path, _ := strconv.Unquote(i.Path.Value)
				if i.Name != nil && i.Name.Name == of || i.Name == nil && path[strings.LastIndexByte(path, '/')+1:] == of {
					m.others = append(m.others, strings.TrimPrefix(path, module)+"."+x.Sel.Name)
				}
			}
		}
	}
	return m
}

// count is how many methods there are in all.
func (m methods) count(named map[string]methods) int {
	n := m.own
	for _, o := range m.others {
		n += named[o].count(named)
	}
	return n
}

// TestMethodsSeen is the test's own test.
func TestMethodsSeen(t *testing.T) {
	const text = `package p
import (other "landgo/por"; "landgo/emu/emutest")
type A interface { F(); G(); B; other.C; emutest.D; error; ~int }`
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	list := file.Decls[1].(*ast.GenDecl).Specs[0].(*ast.TypeSpec).Type.(*ast.InterfaceType)
	m := methodsOf(list, file, "here")
	named := map[string]methods{"here.B": {own: 1, others: []string{"por.C"}}, "por.C": {own: 2}, "emu/emutest.D": {own: 3}, "here.D": {own: 100}}
	if n := m.count(named); n != 2+1+2+2+3 {
		t.Errorf("%d methods of %+v", n, m)
	}
}
