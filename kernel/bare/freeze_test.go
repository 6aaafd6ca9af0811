package bare

import (
	"reflect"
	"testing"
	"unsafe"
)

// TestFreezeHasAll: each word of the devices' state is as it was after Freeze and Thaw.
func TestFreezeHasAll(t *testing.T) {
	b := board(t)
	number := uint64(0)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Uint64:
			number++
			reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem().SetUint(number)
		case reflect.Array:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; name != "cfg" && name != "printed" {
					fill(v.Field(i))
				}
			}
		}
	}
	fill(reflect.ValueOf(b).Elem())
	p, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	again := board(t)
	if err := again.Thaw(p); err != nil {
		t.Fatal(err)
	}
	again.m, again.output = b.m, b.output
	if number < 80 || !reflect.DeepEqual(b, again) {
		t.Errorf("of %d words some are lost", number)
	}
}
