package elffile

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddFunctions: chosen functions come into their places, the known names mean what they meant,
// and a place that has a name gets no other.
func TestAddFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		f := &File{Code: []Range{{0, 0x1000}}}
		drawn := func(name string) Symbol {
			return Symbol{Name: name, Addr: uint64(r.IntN(40)), Size: uint64(r.IntN(2)), Kind: Kind(r.IntN(2)), Global: r.IntN(2) > 0}
		}
		for i := range r.IntN(30) {
			f.Symbols = append(f.Symbols, drawn(fmt.Sprint("old", i%20)))
		}
		f.indexSymbols()
		meant, known := map[string]Symbol{}, map[uint64]bool{}
		for _, s := range f.Symbols {
			known[s.Addr] = s.Kind != IFunc
			meant[s.Name], _ = f.Symbol(s.Name)
		}
		want := slices.Clone(f.Symbols)
		if r.IntN(2) > 0 { // room behind them, as Join leaves
			f.Symbols = slices.Grow(f.Symbols, 64)
		}
		var list []Symbol
		for i := range 1 + r.IntN(12) {
			s := drawn(fmt.Sprint("old", i))
			s.Kind, s.Size = Func, 2 // which no old one has
			list = append(list, s)
			if !known[s.Addr] {
				want = append(want, s)
			}
		}
		f.AddFunctions(list)
		slices.SortFunc(want, func(a, b Symbol) int { return a.compare(&b) })
		if !slices.Equal(slices.Compact(f.Symbols), slices.Compact(want)) {
			t.Fatalf("round %d: %v, want %v", round, f.Symbols, want)
		}
		for name, s := range meant {
			if got, _ := f.Symbol(name); got != s {
				t.Fatalf("round %d: %s is %v, and was %v", round, name, got, s)
			}
		}
		for i := range f.Functions {
			if s := f.Functions[i]; !slices.ContainsFunc(f.Symbols, func(o Symbol) bool { return o.label() == s.label() }) {
				t.Fatalf("round %d: a function %v that is no symbol", round, s)
			}
		}
	}
}

// TestMentions: a file's code may have the address of a function in the same file. In another file the same
// bytes are there by chance.
func TestMentions(t *testing.T) {
	code := func(base, to uint64) *File { // a call of to
		distance := uint32(to - (base + 5))
		return &File{Base: base, Segments: []Segment{{Addr: base, MemSize: 0x100, Exec: true, Data: binary.LittleEndian.AppendUint32([]byte{0xe8}, distance)}}}
	}
	const program, library, function = 0x10000, 0x20000, 0x10080
	for _, c := range []struct {
		parts []*File
		want  bool
	}{
		{[]*File{code(program, function), code(library, library)}, true},
		{[]*File{code(program, program), code(library, function)}, false},
	} {
		if got := (&File{Parts: c.parts}).Mentions(function); got != c.want {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
