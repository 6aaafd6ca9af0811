package kernel

import (
	"reflect"
	"strings"
	"testing"
)

type kept struct {
	I     int64
	U     uint64
	On    bool
	Text  string
	Bytes []byte
	Pairs []struct{ X, Y int64 }
	Flags [2]bool
	Next  *kept
	By    map[uint64]int
}

func TestKeep(t *testing.T) {
	v := kept{-3, 1 << 63, true, "text", []byte{1, 2}, []struct{ X, Y int64 }{{-1, 1 << 62}, {5, 6}}, [2]bool{true, false}, &kept{I: 1}, map[uint64]int{7: 8}}
	b, err := Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	var got kept
	if err := Decode(b, &got); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v, want %+v: %v", got, v, err)
	}
	for n := range b {
		if err := Decode(b[:n], new(kept)); err == nil {
			t.Errorf("%d bytes of %d are taken for a whole state", n, len(b))
		}
	}
	if err := Decode(append(b, 0), new(kept)); err == nil {
		t.Error("a byte too many is accepted")
	}
	for _, bad := range []any{struct{ p int }{}, []struct{ Q struct{ lost bool } }{}} {
		if _, err := Encode(bad); err == nil || !strings.Contains(err.Error(), "isn't exported") {
			t.Errorf("%T: %v", bad, err)
		}
	}
}
