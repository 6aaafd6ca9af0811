package static

import (
	"debug/elf"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/trace"
)

func TestBlends(t *testing.T) {
	path := imagetest.Compile(t, "musl-gcc", "blend.S", "-static")
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
		{"musl-gcc", "across.S", "-static", true},
		{"musl-gcc", "behind.S", "-static", false},
	} {
		f := imagetest.Open(t, elffile.Open, tt.compiler, tt.source, tt.flags)
		if got := FlagsCross(f); got != tt.want {
			t.Errorf("%s %s: %v", tt.compiler, tt.source, got)
		}
	}
}
