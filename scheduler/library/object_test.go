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
// is as in a plain copy of all of them at the mark.
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
		now := maps.Collect(lib.objects.All())
		type kept struct {
			mark    trace.Mark
			objects map[uint64]object
		}
		marks := []kept{{root, maps.Collect(lib.objects.All())}}
		for range rapid.IntRange(1, 80).Draw(t, "operations") {
			addr := base + 64*rapid.Uint64Range(0, 3).Draw(t, "object")
			switch rapid.SampledFrom([]string{"change", "change", "change", "use", "mark", "rewind"}).Draw(t, "operation") {
			case "use": // makes one, or another of what is there
				lib.objectOf(addr, objectKind(rapid.IntRange(0, 2).Draw(t, "kind")))
				now[addr], _ = lib.objects.Get(addr)
			case "change":
				if _, ok := lib.objects.Get(addr); !ok {
					continue
				}
				o := lib.change(addr)
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
			if got, want := shown(maps.Collect(lib.objects.All())), shown(now); got != want {
				t.Fatalf("the objects are\n%s, want\n%s", got, want)
			}
		}
	})
}

// shown is objects as text. fmt sorts the keys.
func shown(objects map[uint64]object) string { return fmt.Sprintf("%+v", objects) }
