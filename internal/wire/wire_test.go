package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// filled gives each part of a value something that isn't zero, so that a part that a
// message forgets is missed. Strings aren't UTF-8; numbers are the largest.
func filled(t *testing.T, v reflect.Value, depth int) {
	t.Helper()
	if !v.CanSet() {
		t.Fatalf("a %v can't be set: it has a field that isn't exported", v.Type())
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			filled(t, v.Field(i), depth)
		}
	case reflect.Slice:
		if depth > 4 { // of a type that has itself as a part
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			filled(t, v.Index(i), depth+1)
		}
	case reflect.Pointer:
		if depth > 4 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		filled(t, v.Elem(), depth+1)
	case reflect.String:
		v.SetString("a\xff\x00é\u2028")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-1 << (v.Type().Bits() - 1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(math.MaxUint64 >> (64 - v.Type().Bits()))
	case reflect.Float64:
		v.SetFloat(math.Inf(1))
	default:
		t.Fatalf("a %v", v.Type())
	}
}

// roundTrip sends a value through its message.
func roundTrip[T any](t *testing.T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		var full, empty, got Exact[T]
		filled(t, reflect.ValueOf(&full.Value).Elem(), 0)
		for _, want := range []Exact[T]{full, empty} {
			text, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			got = Exact[T]{}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		}
	})
}

// TestExact: nothing of what goes over the wire is lost on the way.
func TestExact(t *testing.T) {
	roundTrip[config.Config](t)
	roundTrip[result.Result](t)
	roundTrip[result.Inspection](t)
	roundTrip[result.Progress](t)
	roundTrip[result.BugFile](t)
}

// TestDefaultConfig: the defaults arrive, zeros among them.
func TestDefaultConfig(t *testing.T) {
	want := Exact[config.Config]{config.Default()}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Exact[config.Config]
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestBadMessages: what an engine says that a guest has taken over is an error, and no
// panic.
func TestBadMessages(t *testing.T) {
	for _, text := range []string{
		`{"NoSuchField":1}`, `{"MaxThreads":"x"}`, `{"MaxThreads":1e99}`, `[]`, `{"Limits":7}`, `{"Given":{"Args":{}}}`,
		`{"Given":{"Guest":{"raw":7}}}`, `{"Given":{"Guest":null}}`, `{"Searching":{"Bounds":[7]}}`, `null`,
	} {
		var c Exact[config.Config]
		err := json.Unmarshal([]byte(text), &c)
		if null := strings.Contains(text, "null"); (err == nil) != null {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestBugsAreShared: Bug is one of Bugs after the way, too.
func TestBugsAreShared(t *testing.T) {
	r := &result.Result{Bugs: []*result.Bug{{Message: "a"}, {Message: "b"}}}
	r.Bug = r.Bugs[1]
	text, err := json.Marshal(ResultOf(r))
	if err != nil {
		t.Fatal(err)
	}
	var m Result
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if got := m.Whole(); got.Bug != got.Bugs[1] || got.Bug.Message != "b" || r.Bug == nil {
		t.Errorf("%+v", got)
	}
}

// TestErrors: an error's kind and text arrive.
func TestErrors(t *testing.T) {
	for _, err := range []error{result.Errorf(result.NoFile, "x: no such file"), errors.New("broken")} {
		got := ErrorOf(err).Err()
		if got.Error() != err.Error() || result.KindOf(got) != result.KindOf(err) {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func pair(t *testing.T) (a, b *Conn) {
	t.Helper()
	a, f, err := Pair()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	b = Open(fd)
	t.Cleanup(func() { a.Close() })
	return a, b
}

// TestConn: messages of all sizes arrive in order, each with its own files.
func TestConn(t *testing.T) {
	a, b := pair(t)
	go func() {
		for i := range 40 {
			var files []*os.File
			for range i % (maxFiles + 1) {
				f, err := os.CreateTemp(t.TempDir(), "")
				if err != nil {
					panic(err)
				}
				fmt.Fprint(f, i)
				f.Seek(0, io.SeekStart)
				files = append(files, f)
			}
			if err := a.Send(strings.Repeat("x", i*i*i*4), files...); err != nil {
				panic(err)
			}
			closeAll(files)
		}
		a.Close()
	}()
	for i := range 40 {
		var text string
		files, err := b.Receive(&text)
		if err != nil || len(text) != i*i*i*4 || len(files) != i%(maxFiles+1) {
			t.Fatalf("%d: %d bytes, %d files, %v", i, len(text), len(files), err)
		}
		for _, f := range files {
			if got, err := io.ReadAll(f); err != nil || string(got) != fmt.Sprint(i) {
				t.Errorf("%d: a file with %q, %v", i, got, err)
			}
		}
		closeAll(files)
	}
	if _, err := b.Receive(new(string)); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestHostileBytes: a length beyond all bounds, a message that is cut, and text that is
// no JSON are errors.
func TestHostileBytes(t *testing.T) {
	for _, bytes := range [][]byte{{0xff, 0xff, 0xff, 0xff}, {5, 0, 0, 0, 'x'}, append(binary.LittleEndian.AppendUint32(nil, 2), "{["...), {1}} {
		a, b := pair(t)
		if _, err := unix.Write(a.fd, bytes); err != nil {
			t.Fatal(err)
		}
		unix.Shutdown(a.fd, unix.SHUT_WR)
		var m FromEngine
		if _, err := b.Receive(&m); err == nil {
			t.Errorf("% x is a message: %+v", bytes, m)
		}
		b.Close()
	}
}

// FuzzFromEngine: no bytes of an engine's make the front panic.
func FuzzFromEngine(f *testing.F) {
	f.Add([]byte(`{"so_far":{"result":{"Bugs":[{"Message":"x"}]},"bug_at":9}}`))
	f.Add([]byte(`{"end":{"error":{"kind":"x","message":"y"}}}`))
	f.Add([]byte(`{"file":{"Op":"open","Path":{"raw":"AA=="}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m FromEngine
		if json.Unmarshal(text, &m) != nil {
			return
		}
		m.SoFar.Whole()
		if m.End != nil {
			m.End.Result.Whole()
			if m.End.Error != nil {
				_ = m.End.Error.Err().Error()
			}
		}
	})
}

// TestFlood: a message that would take much more memory than its text isn't decoded.
func TestFlood(t *testing.T) {
	a, b := pair(t)
	item := []byte(",{}")
	text := append([]byte(`{"so_far":{"result":{"Bugs":[{}`), bytes.Repeat(item, maxValues/2+1)...)
	text = append(text, "]}}}"...)
	go func() {
		for all := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...); len(all) > 0; {
			n, err := unix.Write(a.fd, all)
			if err != nil {
				return
			}
			all = all[n:]
		}
	}()
	var m FromEngine
	if _, err := b.Receive(&m); err != errMuch {
		t.Errorf("%v", err)
	}
	b.Close()

	for _, c := range []struct {
		room int
		much bool
	}{{10_000_000, false}, {10_000, true}} {
		var r result.Result
		room := c.room
		err := fill([]byte(`{"Bugs":[{}`+strings.Repeat(",{}", 999)+`]}`), reflect.ValueOf(&r).Elem(), &room)
		if errors.Is(err, errMuch) != c.much || !c.much && (err != nil || len(r.Bugs) != 1000) {
			t.Errorf("room for %d bytes: %v, %d bugs", c.room, err, len(r.Bugs))
		}
	}
}
