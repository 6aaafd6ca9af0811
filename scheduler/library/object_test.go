package library

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/compile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// TestObjectsRewind: after any changes to objects, marks and rewinds, each object
// is as in a plain copy of all of them at the mark. Yet only its first change
// between two marks is kept.
func TestObjectsRewind(t *testing.T) {
	sys, lib := boot(t, compile.Guest(t, "musl-O2/lost_update"), scheduler.Config{}, Config{})
	v, ok := sys.Image().Symbol("x")
	if !ok {
		t.Fatal("the guest has no x")
	}
	base := v.Addr &^ 4095
	root := sys.Mark()
	rapid.Check(t, func(t *rapid.T) {
		sys.Rewind(root)
		now := copied(lib.objects)
		type kept struct {
			mark    trace.Mark
			objects map[uint64]object
		}
		marks := []kept{{root, copied(lib.objects)}}
		for range rapid.IntRange(1, 80).Draw(t, "operations") {
			addr := base + 64*rapid.Uint64Range(0, 3).Draw(t, "object")
			switch rapid.SampledFrom([]string{"change", "change", "change", "use", "mark", "rewind"}).Draw(t, "operation") {
			case "use": // makes one, or another of what is there
				lib.objectOf(addr, objectKind(rapid.IntRange(0, 2).Draw(t, "kind")))
				now[addr] = *lib.objects[addr]
			case "change":
				o := lib.objects[addr]
				if o == nil {
					continue
				}
				o = lib.change(o).object
				was := now[addr]
				o.owner, o.depth, o.waiters = ^o.owner, o.depth+1, with(o.waiters, 0) // thread 0, or none
				was.owner, was.depth, was.waiters = ^was.owner, was.depth+1, with(was.waiters, 0)
				now[addr] = was
			case "mark":
				marks = append(marks, kept{sys.Mark(), maps.Clone(now)})
			case "rewind":
				n := rapid.IntRange(1, len(marks)).Draw(t, "to")
				marks = marks[:n]
				sys.Rewind(marks[n-1].mark)
				now = maps.Clone(marks[n-1].objects)
			}
			if got, want := shown(copied(lib.objects)), shown(now); got != want {
				t.Fatalf("the objects are\n%s, want\n%s", got, want)
			}
		}
	})
}

func copied(objects map[uint64]*object) map[uint64]object {
	all := map[uint64]object{}
	for a, o := range objects {
		all[a] = *o
	}
	return all
}

// shown is objects as text, without where they are saved. fmt sorts the keys.
func shown(objects map[uint64]object) string {
	all := maps.Clone(objects)
	for a, o := range all {
		o.savedAt = 0
		all[a] = o
	}
	return fmt.Sprintf("%+v", all)
}
