package steer

import (
	"reflect"
	"testing"

	"landgo/emu"
)

// TestCells: the list of cells, by which a boot is kept, has each of them once.
func TestCells(t *testing.T) {
	var c cells
	seen := map[*emu.Cell]bool{}
	for _, cell := range c.all() {
		seen[cell] = true
	}
	v := reflect.ValueOf(&c).Elem()
	if len(c.all()) != v.NumField() || len(seen) != v.NumField() {
		t.Fatalf("%d cells are listed, %d of them different; there are %d", len(c.all()), len(seen), v.NumField())
	}
}
