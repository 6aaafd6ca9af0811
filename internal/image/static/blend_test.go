package static

import (
	"debug/elf"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/trace"
)

// blendLabels is the image of blend.S, and where its labels are.
func blendLabels(t *testing.T) (*elffile.File, map[string]uint64) { return labels(t, "blend.S") }

// labels is the image of a source, and where its labels are.
func labels(t *testing.T, source string) (*elffile.File, map[string]uint64) {
	path := imagetest.Compile(t, "musl-gcc", source, "-static")
	file, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]uint64{}
	for _, s := range symbols {
		at[s.Name] = s.Value
	}
	return file, at
}

func TestBlends(t *testing.T) {
	file, at := blendLabels(t)
	const load = 5 // the length of an instruction that loads a number into eax
	for _, tt := range []struct {
		label  string
		behind uint64
		blend  trace.Blend
	}{
		{"add", 0, trace.BlendAdd},
		{"returns", 0, trace.BlendAdd},
		{"dropped", load, trace.BlendAdd},
		{"taken", load, trace.NoBlend},
		{"zero", 0, trace.NoBlend},
		{"later", 0, trace.NoBlend},
		{"bits", 0, trace.BlendOr},
		{"plain", 0, trace.NoBlend},
		{"exchange", 0, trace.BlendStore},
		{"away", 0, trace.NoBlend},
		{"turns", 0, trace.BlendXor},
	} {
		if at[tt.label] == 0 {
			t.Fatalf("no label %s", tt.label)
		}
		if blend := Blends(file, at[tt.label]+tt.behind); blend != tt.blend {
			t.Errorf("%s: %d, want %d", tt.label, blend, tt.blend)
		}
	}
}

// TestTested: what is only tested, and from which number on.
func TestTested(t *testing.T) {
	file, at := blendLabels(t)
	const load = 5
	for _, tt := range []struct {
		label  string
		behind uint64
		least  int64
	}{
		{"add", 0, 1},
		{"zero", 0, 1},
		{"later", 0, 1},
		{"negative", 0, 1},
		{"compared", load, 4},
		{"tests", load, 1},
		{"taken", load, 0},
		{"copied", load, 0},
		{"beyond", load, 0},
		{"wide", load, 0},
		{"parity", 0, 0},
		{"parity2", load, 0},
		{"saved", 0, 0},
		{"bits", 0, 0},
		{"plain", 0, 0},
		{"away", 0, 0},
		{"exchange", 0, 0},
	} {
		if at[tt.label] == 0 {
			t.Fatalf("no label %s", tt.label)
		}
		if least := Tested(file, at[tt.label]+tt.behind); least != tt.least {
			t.Errorf("%s: %d, want %d", tt.label, least, tt.least)
		}
	}
}

// TestPivotAt: with which number code compares what memory held, or that it compares the sum.
func TestPivotAt(t *testing.T) {
	file, at := blendLabels(t)
	const load = 5
	for _, tt := range []struct {
		label  string
		behind uint64
		pivot  Pivot
		ok     bool
	}{
		{"zero", 0, Pivot{Sum: true}, true},
		{"later", 0, Pivot{Sum: true}, true},
		{"negative", 0, Pivot{Sum: true}, true},
		{"compared", load, Pivot{Number: 3}, true},
		{"tests", load, Pivot{Number: 0}, true},
		{"shifted", load, Pivot{Number: 2}, true},
		{"summed", load, Pivot{Number: 1}, true},
		{label: "twice", behind: load},
		{label: "taken", behind: load},
		{label: "copied", behind: load},
		{label: "wide", behind: load},
		{label: "parity"},
		{label: "parity2", behind: load},
		{label: "saved"},
		{label: "bits"},
		{label: "plain"},
		{label: "away"},
		{label: "exchange"},
	} {
		if at[tt.label] == 0 {
			t.Fatalf("no label %s", tt.label)
		}
		if pivot, ok := PivotAt(file, at[tt.label]+tt.behind); ok != tt.ok || ok && pivot != tt.pivot {
			t.Errorf("%s: %+v, %v, want %+v, %v", tt.label, pivot, ok, tt.pivot, tt.ok)
		}
	}
}

// TestFlagsCross: code of compilers, both C libraries', keeps nothing in the flags across
// returns; an assembler's may.
func TestFlagsCross(t *testing.T) {
	for _, tt := range []struct {
		compiler, source, flags string
		want                    bool
	}{
		{"musl-gcc", "threads.c", "-static -O2", false},
		{"gcc", "threads.c", "-static -O2", false},
		{"gcc", "threads.c", "-static -O0", false},
		{"g++", "threads.cc", "-static -O2", false},
		{"musl-gcc", "across.S", "-static", true},
		{"musl-gcc", "behind.S", "-static", false},
	} {
		f := imagetest.Open(t, elffile.Open, tt.compiler, tt.source, tt.flags)
		if got := FlagsCross(f); got != tt.want {
			t.Errorf("%s %s: %v", tt.compiler, tt.source, got)
		}
	}
}
