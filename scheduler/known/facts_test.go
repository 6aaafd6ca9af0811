package known

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// leaves are the places of facts that hold something, by name.
func leaves(v reflect.Value, name string, f func(name string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			leaves(v.Field(i), name+"."+v.Type().Field(i).Name, f)
		}
	case reflect.Array:
		for i := range v.Len() {
			leaves(v.Index(i), fmt.Sprintf("%s[%d]", name, i), f)
		}
	default:
		f(name, v)
	}
}

// set gives a place a value that isn't its zero.
func set(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Uint32:
		v.SetUint(4)
	case reflect.Uint8:
		v.SetUint(3)
	case reflect.Int32:
		v.SetInt(5)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		leaves(key, "", func(_ string, v reflect.Value) { set(t, v) })
		leaves(value, "", func(_ string, v reflect.Value) { set(t, v) })
		v.SetMapIndex(key, value)
	default:
		t.Fatalf("no value is known for %s", v.Type())
	}
}

// withoutNews are the facts that only matter together with another.
var withoutNews = map[string]bool{".Merged": true, ".Kernel.TailWords": true, ".Timed": true, ".ShortWait": true, ".LongSleep": true}

// TestMerge: Merge, Clone and JSON take in each field, and only what is new is news.
func TestMerge(t *testing.T) {
	var names []string
	facts := New()
	leaves(reflect.ValueOf(&facts).Elem(), "", func(name string, _ reflect.Value) { names = append(names, name) })
	if len(names) < 10 {
		t.Fatalf("only %v were found", names)
	}
	for _, which := range names {
		one := New()
		leaves(reflect.ValueOf(&one).Elem(), "", func(name string, v reflect.Value) {
			if name == which {
				set(t, v)
			}
		})
		if reflect.DeepEqual(one, New()) {
			t.Fatalf("%s wasn't set", which)
		}
		got := New()
		if news := got.Merge(&one); news == withoutNews[which] {
			t.Errorf("%s: news is %v", which, news)
		}
		if !reflect.DeepEqual(got, one) {
			t.Errorf("%s is lost: %+v", which, got)
		}
		if got.Merge(&one) {
			t.Errorf("%s is news again", which)
		}
		empty := New()
		if got.Merge(&empty) || !reflect.DeepEqual(got, one) {
			t.Errorf("%s isn't kept: %+v", which, got)
		}
		text, err := json.Marshal(&one)
		if err != nil {
			t.Fatal(err)
		}
		read := New()
		if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read, one) {
			t.Errorf("%s as JSON: %s becomes %+v (%v)", which, text, read, err)
		}
		clone := one.Clone()
		if leaves(reflect.ValueOf(&one).Elem(), "", func(name string, v reflect.Value) {
			if v.Kind() == reflect.Map {
				v.Clear()
			}
		}); !reflect.DeepEqual(clone, got) {
			t.Errorf("%s: a clone changes with what it was made of", which)
		}
	}
}

// TestTicked: what ticks do to a word adds up.
func TestTicked(t *testing.T) {
	a, b := New(), New()
	a.Ticked.Add(9, Bytes{Reads: 1})
	b.Ticked.Add(9, Bytes{Reads: 1, Writes: 2})
	if !a.Merge(&b) || a.Ticked[9] != (Bytes{1, 2}) {
		t.Errorf("got %v", a.Ticked)
	}
	if text, err := json.Marshal(a.Ticked); err != nil || string(text) != `[{"At":9,"Reads":1,"Writes":2}]` {
		t.Errorf("got %s, %v", text, err)
	}
}
