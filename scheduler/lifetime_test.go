package scheduler

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestLifetimes: over all executions of a guest what is fixed stays as it was, and what
// goes back is at the root as it was there.
func TestLifetimes(t *testing.T) {
	s := boot(t, "../bin/guests/musl-O2/abba-OK", Config{Granularity: Granularity{Points: PointMem}})
	lib := s.lib.(*library)
	roles := maps.Clone(lib.roles)
	fixedWas, libraryWas := s.fixed, lib.libraryFixed
	root := s.Mark()
	enumerate(t, s)
	s.Rewind(root) // what was learned on the way has begun the enumeration anew
	cellsWas, threadsWas, state := s.cells, s.threads[0], s.State()
	if ends := enumerate(t, s); ends.runs == 0 {
		t.Fatal("no execution has ended")
	}
	s.Rewind(root)
	if s.cells != cellsWas || !reflect.DeepEqual(s.threads[0], threadsWas) || s.State() != state {
		t.Errorf("at the root:\n%+v %+v\nit was:\n%+v %+v", s.cells, s.threads[0], cellsWas, threadsWas)
	}
	for i := range s.threads {
		if i > 0 && s.threads[i].Exists {
			t.Errorf("thread %s exists at the root", s.Name(s.threads[i].ID))
		}
	}
	if len(s.steps) != 0 || len(s.turns) != 0 || len(lib.objects) != 0 || len(s.threadLog) != 0 {
		t.Errorf("%d steps, %d places, %d objects, %d kept threads are left", len(s.steps), len(s.turns), len(lib.objects), len(s.threadLog))
	}
	if !reflect.DeepEqual(s.fixed, fixedWas) || !reflect.DeepEqual(lib.libraryFixed, libraryWas) || !reflect.DeepEqual(lib.roles, roles) {
		t.Error("what is fixed has changed")
	}
}

// TestMapOfFiles: the package's comment names each file.
func TestMapOfFiles(t *testing.T) {
	text, err := os.ReadFile("system.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\npackage ")
	words := strings.FieldsFunc(comment, func(r rune) bool { return r < 'a' || r > 'z' })
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f, ".go"); !strings.HasSuffix(name, "_test") && !slices.Contains(words, name) {
			t.Errorf("system.go's comment doesn't say what %s is for", f)
		}
	}
}
