package kernel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// State of Go's as bytes: the state after a boot, in structures of several
// packages, without a list of their fields. Fields that aren't exported are
// among them, so a field that is added later is kept without more ado.
//
// The bytes mean something to the same build of landgo only.

// AppendPlain appends a value's bytes: numbers, strings, arrays, slices and
// structures of such. A pointer, an interface, a map or a function has to be nil.
func AppendPlain(b []byte, v any) ([]byte, error) {
	return appendValue(b, reflect.ValueOf(v))
}

var errNotPlain = errors.New("the state holds what can't be kept")

func appendValue(b []byte, v reflect.Value) ([]byte, error) {
	var err error
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1), nil
		}
		return append(b, 0), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return binary.AppendUvarint(b, v.Uint()), nil
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		return append(b, v.String()...), nil
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			b = binary.AppendUvarint(b, uint64(v.Len()))
			if v.Type().Elem().Kind() == reflect.Uint8 {
				return append(b, v.Bytes()...), nil
			}
		}
		for i := 0; i < v.Len() && err == nil; i++ {
			b, err = appendValue(b, v.Index(i))
		}
		return b, err
	case reflect.Struct:
		for i := 0; i < v.NumField() && err == nil; i++ {
			b, err = appendValue(b, v.Field(i))
		}
		return b, err
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Func, reflect.Chan:
		if v.IsNil() {
			return b, nil
		}
	}
	return b, fmt.Errorf("%w: %s", errNotPlain, v.Type())
}

// Plain reads a value that AppendPlain wrote into what to points to, and returns
// the bytes behind it. Byte slices in the value are parts of b.
func Plain(b []byte, to any) (rest []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the kept state ends too early: %v", p)
		}
	}()
	return readValue(b, reflect.ValueOf(to).Elem()), nil
}

// readValue panics where the bytes end.
func readValue(b []byte, v reflect.Value) []byte {
	if !v.CanSet() { // a field that isn't exported
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(b[0] != 0)
		return b[1:]
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x, n := binary.Varint(b)
		v.SetInt(x)
		return b[whole(n):]
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		x, n := binary.Uvarint(b)
		v.SetUint(x)
		return b[whole(n):]
	case reflect.String:
		n, rest := length(b)
		v.SetString(string(rest[:n]))
		return rest[n:]
	case reflect.Slice:
		n, rest := length(b)
		if n == 0 {
			v.SetZero()
			return rest
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(rest[:n:n])
			return rest[n:]
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			rest = readValue(rest, v.Index(i))
		}
		return rest
	case reflect.Array:
		for i := range v.Len() {
			b = readValue(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = readValue(b, v.Field(i))
		}
		return b
	}
	v.SetZero()
	return b
}

func whole(n int) int {
	if n <= 0 {
		panic("a number without an end")
	}
	return n
}

// length is the number of elements of a slice: of at least a byte each, for what
// is kept has no empty ones.
func length(b []byte) (int, []byte) {
	n, size := binary.Uvarint(b)
	rest := b[whole(size):]
	if n > uint64(len(rest)) {
		panic(fmt.Sprintf("%d elements in %d bytes", n, len(rest)))
	}
	return int(n), rest
}
