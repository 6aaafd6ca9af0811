package image

import (
	"bufio"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
	"time"

	"landgo/internal/image/imagetest"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestInst(t *testing.T) {
	im := &File{}
	for _, tc := range []struct{ code, text string }{
		{"f30f1efa", "endbr64"},
		{"f30f1efb", "endbr32"},
		{"f3480f1ec8", "rdsspq"},
		{"f30f1ec9", "rdsspd"},
		{"f390", "pause"},
		{"90", "nop"},
		{"6690", "data16 nop"},
		{"8b07", "mov (%rdi),%eax"},
		{"f00fb117", "lock cmpxchg %edx,(%rdi)"},
		{"8707", "xchg %eax,(%rdi)"},
		{"0f05", "syscall"},
		{"c3", "retq"},
	} {
		code := unhex(tc.code)
		text, n, err := im.Inst(append(code, 0x90, 0x90), 0x1000)
		if text != tc.text || n != len(code) || err != nil {
			t.Errorf("%s: %q, %d bytes, %v", tc.code, text, n, err)
		}
	}
	for _, code := range []string{"", "f3", "c5f877", "c4e2f8f2c3", "62f17c481000"} {
		if text, n, err := im.Inst(unhex(code), 0x1000); err == nil {
			t.Errorf("%s: %q, %d bytes", code, text, n)
		}
	}
}

func TestInstNamesAddresses(t *testing.T) {
	im := open(t, "gcc", "fails.c", "-static -O0")
	main, _ := im.Symbol("main")
	found := false
	for pc := main.Addr; pc < main.Addr+main.Size; {
		text, n, err := im.Inst(im.Bytes(pc, MaxInst), pc)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(text, "call") && strings.Contains(text, "outer")
		pc += uint64(n)
	}
	if !found {
		t.Error("no call of outer in main")
	}
}

// TestInstLengths compares instruction lengths with objdump's, over all code of
// a C library.
func TestInstLengths(t *testing.T) {
	for _, l := range imagetest.Libcs {
		im := open(t, l.Compiler, "threads.c", "-static")
		cmd := imagetest.Command("objdump", "-d", "-z", "--insn-width=15", im.Path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatalf("%v (install binutils)", err)
		}
		total, unknown := 0, 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fields := strings.Split(lines.Text(), "\t")
			if len(fields) < 3 || strings.Contains(fields[2], "(bad)") {
				continue
			}
			pc, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(fields[0], ":")), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			want := len(strings.Fields(fields[1]))
			total++
			text, n, err := im.Inst(im.Bytes(pc, MaxInst), pc)
			if err != nil {
				unknown++
				continue
			}
			if n != want {
				t.Errorf("%#x: %s: %d bytes, want %d (%s)", pc, text, n, want, fields[2])
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d instructions, %d unknown", l.Compiler, total, unknown)
		if total < 10000 {
			t.Errorf("objdump gave %d instructions", total)
		}
	}
}

// TestDecodingNeverPanics decodes at every byte of a C library.
func TestDecodingNeverPanics(t *testing.T) {
	for _, l := range imagetest.Libcs {
		im := open(t, l.Compiler, "threads.c", "-static")
		for _, r := range im.Code {
			for pc := r.Lo; pc < r.Hi; pc++ {
				code := im.Bytes(pc, MaxInst)
				text, n, err := im.Inst(code, pc)
				if err == nil && (n < 1 || n > len(code) || text == "") {
					t.Fatalf("%#x: %q, %d bytes", pc, text, n)
				}
				for _, m := range []Machine{X86_64, I386} {
					if _, ok := EffectsOf(code, m); ok && err != nil && m == X86_64 {
						t.Fatalf("%#x: effects of no instruction", pc)
					}
				}
			}
		}
	}
}

// TestAnyLocked: the walk over all code ends, wherever functions begin and whatever
// they hold, and finds a locked instruction behind what doesn't decode.
func TestAnyLocked(t *testing.T) {
	const base = 0x1000
	for _, tc := range []struct {
		name, code string
		functions  []Symbol
		want       bool
	}{
		{"no code decodes", "cececece", []Symbol{{Name: "f", Addr: base, Size: 4}}, false},
		{"a function's first byte doesn't decode", "ce90c3", []Symbol{{Name: "f", Addr: base, Size: 3}}, false},
		{"nor that of the last one", "90c3ce", []Symbol{{Name: "f", Addr: base, Size: 2}, {Name: "g", Addr: base + 2, Size: 1}}, false},
		{"a byte within doesn't", "90cef00fb117", []Symbol{{Name: "f", Addr: base, Size: 6}}, true},
		{"a locked instruction behind it", "cef00fb117", []Symbol{{Name: "f", Addr: base, Size: 5}}, true},
		{"a symbol beyond the code", "ce", []Symbol{{Name: "f", Addr: base, Size: 1 << 40}}, false},
	} {
		code := unhex(tc.code)
		im := &File{Code: []Range{{base, base + uint64(len(code))}}, Functions: tc.functions,
			Segments: []Segment{{Addr: base, MemSize: uint64(len(code)), Data: code}}}
		done := make(chan bool, 1)
		go func() { done <- im.AnyLocked() }()
		select {
		case got := <-done:
			if got != tc.want {
				t.Errorf("%s: %v", tc.name, got)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: no end", tc.name)
		}
	}
}
