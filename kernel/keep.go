package kernel

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"reflect"
)

// The result of a boot in structures of several packages, as bytes. They mean
// something to the same build of landgo only.

// Encode is a value as bytes. It refuses types with fields that would be lost: those
// that aren't exported.
func Encode(v any) ([]byte, error) {
	if lost := hidden(reflect.TypeOf(v), map[reflect.Type]bool{}); lost != "" {
		return nil, fmt.Errorf("the state can't be kept: %s isn't exported", lost)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

// Decode reads what Encode wrote into the zero value that to points to.
func Decode(p []byte, to any) error {
	r := bytes.NewReader(p)
	if err := gob.NewDecoder(r).Decode(to); err != nil {
		return err
	}
	if r.Len() > 0 {
		return fmt.Errorf("%d bytes are behind the kept state", r.Len())
	}
	return nil
}

// hidden names a field that isn't exported, of a type or of those that it is made of.
func hidden(t reflect.Type, seen map[reflect.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.Pointer, reflect.Map:
		return hidden(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() && !f.Anonymous {
				return t.String() + "." + f.Name
			}
			if lost := hidden(f.Type, seen); lost != "" {
				return lost
			}
		}
	}
	return ""
}
