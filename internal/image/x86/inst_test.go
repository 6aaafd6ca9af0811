package x86

import (
	"bufio"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"landgo/internal/image/elffile"
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
	f := &elffile.File{}
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
		text, n, err := Inst(f, append(code, 0x90, 0x90), 0x1000)
		if text != tc.text || n != len(code) || err != nil {
			t.Errorf("%s: %q, %d bytes, %v", tc.code, text, n, err)
		}
	}
	for _, code := range []string{"", "f3", "c5f877", "c4e2f8f2c3", "62f17c481000"} {
		if text, n, err := Inst(f, unhex(code), 0x1000); err == nil {
			t.Errorf("%s: %q, %d bytes", code, text, n)
		}
	}
}

func TestInstNamesAddresses(t *testing.T) {
	f := open(t, "gcc", "fails.c", "-static -O0")
	main, _ := f.Symbol("main")
	found := false
	for pc := main.Addr; pc < main.Addr+main.Size; {
		text, n, err := Inst(f, f.Bytes(pc, MaxInst), pc)
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
		f := open(t, l.Compiler, "threads.c", "-static")
		cmd := imagetest.Command("objdump", "-d", "-z", "--insn-width=15", f.Path)
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
			text, n, err := Inst(f, f.Bytes(pc, MaxInst), pc)
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
		f := open(t, l.Compiler, "threads.c", "-static")
		for _, r := range f.Code {
			for pc := r.Lo; pc < r.Hi; pc++ {
				code := f.Bytes(pc, MaxInst)
				text, n, err := Inst(f, code, pc)
				if err == nil && (n < 1 || n > len(code) || text == "") {
					t.Fatalf("%#x: %q, %d bytes", pc, text, n)
				}
				for _, m := range []elffile.Machine{elffile.X86_64, elffile.I386} {
					if _, ok := EffectsOf(code, m); ok && err != nil && m == elffile.X86_64 {
						t.Fatalf("%#x: effects of no instruction", pc)
					}
				}
			}
		}
	}
}
