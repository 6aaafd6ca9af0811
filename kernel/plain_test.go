package kernel

import (
	"reflect"
	"testing"
)

type plain struct {
	a int8
	b uint64
	c bool
	d string
	e []byte
	f []struct{ x, y int64 }
	g [2]bool
	p *int
	m map[int]int
}

// TestPlain: a value comes back as it was, and bytes that were cut are an error.
func TestPlain(t *testing.T) {
	v := plain{-3, 1 << 63, true, "text", []byte{1, 2}, []struct{ x, y int64 }{{-1, 1 << 62}, {5, 6}}, [2]bool{true, false}, nil, nil}
	b, err := AppendPlain(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	var got plain
	if rest, err := Plain(b, &got); err != nil || len(rest) != 0 || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v, %v, %d bytes left; want %+v", got, err, len(rest), v)
	}
	for n := range b {
		if _, err := Plain(b[:n], new(plain)); err == nil {
			t.Errorf("%d bytes of %d are enough", n, len(b))
		}
	}
	for _, bad := range []plain{{p: new(int)}, {m: map[int]int{}}} {
		if _, err := AppendPlain(nil, bad); err == nil {
			t.Errorf("%+v can be kept", bad)
		}
	}
}
