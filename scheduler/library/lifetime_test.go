package library

import (
	"maps"
	"reflect"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// TestLifetimes: over all executions of a guest what is fixed stays as it was, and what
// goes back is at the root as it was there.
func TestLifetimes(t *testing.T) {
	s, lib := boot(t, compile.Guest(t, "musl-O2/abba-OK"), scheduler.Config{Granularity: scheduler.Granularity{Points: trace.PointMem}}, Config{})
	roles, fixedWas := maps.Clone(lib.roles), *lib.guest
	root := s.Mark()
	enumerate(t, s)
	s.Rewind(root) // what was learned on the way has begun the enumeration anew
	first, state := lib.threads[0], s.State()
	threadWas := *first.Thread
	if ends := enumerate(t, s); ends.runs == 0 {
		t.Fatal("no execution has ended")
	}
	s.Rewind(root)
	if !reflect.DeepEqual(lib.threads[0], first) || !reflect.DeepEqual(*first.Thread, threadWas) || s.State() != state {
		t.Errorf("at the root:\n%+v\nit was:\n%+v", lib.threads[0], first)
	}
	if lib.objects.Len() != 0 || lib.objects.Mark() != 0 || lib.threadLog.Len() != 0 {
		t.Errorf("%d objects, %d of their values, %d kept threads are left", lib.objects.Len(), lib.objects.Mark(), lib.threadLog.Len())
	}
	if !reflect.DeepEqual(*lib.guest, fixedWas) || !reflect.DeepEqual(lib.roles, roles) {
		t.Error("what is fixed has changed")
	}
}
