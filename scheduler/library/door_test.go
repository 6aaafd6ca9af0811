package library

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// pastTheDoor are the functions, of the core too, that read or write the guest's memory other than
// through a door, with why they may. Accesses by which threads can tell each other's order aren't
// among them.
var pastTheDoor = map[string]string{
	"fixed.within":            "the instruction at which a thread stands: code",
	"fixed.Word":              "a word of the thread's own stack: a return address, an argument; see usesOfWord",
	"present.State":           "reports: the digest of an ended execution",
	"Promises.Aside":          "a function on the side: its reads are handed on, its stores taken back",
	"Naps.EndNap":             "touched there: the thread stands at no call",
	"leaks.words":             "reports: leaks",
	"twins.unwritten":         "compares two runs",
	"door.read32":             "the door",
	"door.read64":             "the door",
	"door.write32":            "the door",
	"door.write64":            "the door",
	"awaits.lookOnce":         "the value that a turn of a loop would find: tried, and taken back",
	"present.valueFor":        "the same, as it is now",
	"fixed.valueAt":           "the same",
	"trials.putValue":         "the same",
	"fixed.word":              "a turn of a loop that is tried, and words that only the dynamic linker writes",
	"poises.differences":      "compares two turns of a loop that are tried",
	"guest.str":               "reports, and a format whose reading is on record as the library's own",
	"models.rewritten":        "the object of an operation, which depends on every access to its bytes",
	"models.objectOf":         "the same",
	"models.destroy":          "the same",
	"models.settle":           "the same",
	"models.clear":            "the same",
	"models.adopt":            "the same",
	"objectCalls.hasProtocol": "the same",
	"Library.findsTables":     "a frame of the unwinder's, touched there",
	"Library.stepCall":        "a new thread's name, touched there",
	"quiets.leave":            "takes a store of the library's back, which is a step of its own then",
	"threadCalls.createsBy":   "attributes, touched when the creation begins (touchAttributes)",
	"objectCalls.endsSleep":   "musl's own flag, which sigaction sets before signals come",
	"threadCalls.unlist":      "the library's list of threads, which only trusted functions use",
	"carried.setWord":         "a join's status on pebbles, touched there",
	"quiets.vaList":           "the caller's list of arguments, to learn whose memory a call fills",
	"heapCalls.fill":          "a block before it is given out",
	"heapCalls.cleared":       "the same",
	"heapCalls.resize":        "a block whose end depends on every access to it, and one before it is given out",
	"textCalls.reads":         "whether a string has an end, told by the reads themselves where others use it",
	"textCalls.atString":      "the same",
	"textCalls.lookPast":      "the same",
	"heapCalls.wipe":          "a block whose end depends on every access to it",
	"namedSems.semName":       "a named semaphore's name, touched in performNamed",
	"namedSems.semMap":        "pages that the call gives out",
	"namedSems.semClose":      "the object of an operation, touched there",
	"Library.endCache":        "the return address of a call to the guest's own allocator, whose frame isn't on record either",
	"heapCalls.leaveFollowed": "the result of the guest's own allocator, which is on record",
	"textCalls.streamOf":      "whether a stream has a buffer of the program's, given before any use of it (setvbuf)",
	"copyCalls.begin":         "a word of a divided copy, touched there",
	"copyCalls.carriedOut":    "the same",
	"copyCalls.writes":        "the same",
	"buffers.apply":           "a thread's own buffered stores, on record when they were made",
	"buffers.takeBack":        "the same",
	"buffers.copy":            "the same",
	"System.flush":            "the step of a store buffer, which says so",
	"buffers.drainAll":        "the process's end, which is in order with all",
	"buffers.outOfOrder":      "code",
	"signals.handled":         "the same",
	"present.SeenBy":          "reports: values",
	"Library.chosen":          "what the dynamic linker has written, before the first point",
	"textCalls.writesAtEnd":   "whether exit runs the library's own code, whose accesses are on record then",
	"textCalls.Unwritten":     "standard output that exit would still write, for the table of outcomes",
}

// TestOnlyTheDoorReachesTheGuest: what landgo does to the guest's memory for a thread is
// on record.
func TestOnlyTheDoorReachesTheGuest(t *testing.T) {
	used := map[string]bool{}
	files, _ := filepath.Glob("*.go")
	core, _ := filepath.Glob("../*.go")
	if files = append(files, core...); len(files) < 60 {
		t.Fatalf("only %d files", len(files))
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
