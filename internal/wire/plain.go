package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// Exact is a value in a message, with nothing lost. The types' own JSON forms are for users. That
// of a configuration leaves out the host's part. None has strings that aren't UTF-8, or infinite
// numbers. The form here is made from the type: each field has its Go name, and tags and methods
// don't count, so no field can be forgotten. Fields that are zero aren't in it. The type is of
// structs, slices, pointers and basic types.
type Exact[T any] struct{ Value T }

// MarshalJSON implements json.Marshaler.
func (e Exact[T]) MarshalJSON() ([]byte, error) { return encode(e.Value) }

// UnmarshalJSON implements json.Unmarshaler.
func (e *Exact[T]) UnmarshalJSON(text []byte) error { return decode(text, &e.Value) }

// raw is a string that isn't UTF-8.
type raw struct {
	Raw []byte `json:"raw"`
}

func encode(v any) ([]byte, error) { return json.Marshal(plain(reflect.ValueOf(v))) }

func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		fields := map[string]any{}
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				fields[v.Type().Field(i).Name] = plain(f)
			}
		}
		return fields
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Bytes()
		}
		all := make([]any, v.Len())
		for i := range all {
			all[i] = plain(v.Index(i))
		}
		return all
	case reflect.Pointer:
		return plain(v.Elem()) // it isn't zero
	case reflect.String:
		if s := v.String(); !utf8.ValidString(s) {
			return raw{[]byte(s)}
		}
		return v.String()
	case reflect.Float64:
		if f := v.Float(); math.IsInf(f, 0) || math.IsNaN(f) {
			return fmt.Sprint(f)
		}
		return v.Float()
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	}
	panic(fmt.Sprintf("a %v in a message", v.Type()))
}

// maxDecoded bounds what a text is decoded to, in bytes. Two bytes of text can stand for
// a structure of a thousand, and the engine may be hostile.
const maxDecoded = 1 << 30

var errMuch = errors.New("a message that takes too much memory")

// decode fills in what p points to from encode's text.
func decode(text []byte, p any) error {
	room := maxDecoded
	return fill(text, reflect.ValueOf(p).Elem(), &room)
}

// fill fills in v, for which room has what is left, in bytes.
func fill(text []byte, v reflect.Value, room *int) error {
	switch v.Kind() {
	case reflect.Struct:
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &fields); err != nil {
			return err
		}
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if part, ok := fields[name]; ok {
				delete(fields, name)
				if err := fill(part, v.Field(i), room); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		for name := range fields {
			return fmt.Errorf("%v has no field %q", v.Type(), name)
		}
		return nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			var bytes []byte
			err := json.Unmarshal(text, &bytes)
			v.SetBytes(bytes)
			return err
		}
		var parts []json.RawMessage
		if err := json.Unmarshal(text, &parts); err != nil {
			return err
		}
		if *room -= len(parts) * int(v.Type().Elem().Size()); *room < 0 {
			return errMuch
		}
		v.Set(reflect.MakeSlice(v.Type(), len(parts), len(parts)))
		for i, part := range parts {
			if err := fill(part, v.Index(i), room); err != nil {
				return err
			}
		}
		return nil
	case reflect.Pointer:
		if *room -= int(v.Type().Elem().Size()); *room < 0 {
			return errMuch
		}
		v.Set(reflect.New(v.Type().Elem()))
		return fill(text, v.Elem(), room)
	case reflect.String:
		return fillString(text, v)
	case reflect.Float64:
		var s string
		if len(text) > 0 && text[0] != '"' {
			s = string(text)
		} else if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		f, err := strconv.ParseFloat(s, 64)
		v.SetFloat(f)
		return err
	case reflect.Bool:
		var b bool
		err := json.Unmarshal(text, &b)
		v.SetBool(b)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var n int64
		err := json.Unmarshal(text, &n)
		if err == nil && v.OverflowInt(n) {
			return fmt.Errorf("%d is too large", n)
		}
		v.SetInt(n)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var n uint64
		err := json.Unmarshal(text, &n)
		if err == nil && v.OverflowUint(n) {
			return fmt.Errorf("%d is too large", n)
		}
		v.SetUint(n)
		return err
	}
	panic(fmt.Sprintf("a %v in a message", v.Type()))
}

func fillString(text []byte, v reflect.Value) error {
	if len(text) > 0 && text[0] == '{' {
		var r raw
		err := json.Unmarshal(text, &r)
		v.SetString(string(r.Raw))
		return err
	}
	var s string
	err := json.Unmarshal(text, &s)
	v.SetString(s)
	return err
}
