package guests

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKernelTable: each row says something that the sources have, and each
// mistake has a row.
func TestKernelTable(t *testing.T) {
	all, err := Kernels()
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	files, _ := filepath.Glob("kernel/*.c")
	more, _ := filepath.Glob("kernel/course/*.c")
	files = append(files, more...)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	variants := map[string]string{}
	for kernel, f := range map[string]string{"kernel": "kernel/variant.h", "course": "kernel/course/variant.h"} {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		variants[kernel] = string(text)
	}
	for _, k := range all {
		if !strings.Contains(string(source), `{"`+k.Test+`", test_`+k.Test+`}`) {
			t.Errorf("%s: there is no test %q", k.Name, k.Test)
		}
		if k.Variant != "" && !strings.Contains(variants[k.Kernel], "#define "+strings.ToUpper(k.Variant)+" 0") {
			t.Errorf("%s: variant.h doesn't have it", k.Name)
		}
		if !slices.Contains(KernelPointLists, k.PP) {
			t.Errorf("%s: unknown preemption points %q", k.Name, k.PP)
		}
		if (k.Verdict == Bug) != (len(k.Failures) > 0) {
			t.Errorf("%s: verdict %s with %d failures", k.Name, k.Verdict, len(k.Failures))
		}
		for _, f := range k.Failures {
			if !slices.Contains(kinds, f.Kind) {
				t.Errorf("%s: unknown kind %q", k.Name, f.Kind)
			}
			if !strings.Contains(string(source), f.Hint) {
				t.Errorf("%s: no source says %q", k.Name, f.Hint)
			}
			if f.At != "" && !regexp.MustCompile(`\b`+f.At+`\(`).Match(source) {
				t.Errorf("%s: there is no function %s", k.Name, f.At)
			}
		}
	}
	for kernel, text := range variants {
		for _, m := range regexp.MustCompile(`#define (\w+) 0`).FindAllStringSubmatch(text, -1) {
			if !slices.ContainsFunc(all, func(k KernelTest) bool { return k.Kernel == kernel && strings.ToUpper(k.Variant) == m[1] }) {
				t.Errorf("mistake %s of %s has no row in expect.json", m[1], kernel)
			}
		}
	}
}

// TestKernelBuilds: both builds have what a multiboot loader looks for, and all
// that landgo is told by.
func TestKernelBuilds(t *testing.T) {
	for _, machine := range []struct {
		name string
		want elf.Machine
	}{{"x86-64", elf.EM_X86_64}, {"i386", elf.EM_386}} {
		t.Run(machine.name, func(t *testing.T) {
			out := t.TempDir()
			kernel := filepath.Join(out, "kernel-wakeup_lost")
			make := exec.Command("make", "-s", "-C", "kernel", "MACHINE="+machine.name, "OUT="+out, kernel)
			if said, err := make.CombinedOutput(); err != nil {
				if machine.want == elf.EM_386 && strings.Contains(string(said), "No rule to make") {
					t.Skip("this gcc doesn't make programs for i386")
				}
				t.Fatalf("%v:\n%s", err, said)
			} else if len(said) > 0 {
				t.Errorf("gcc says:\n%s", said)
			}
			content, err := os.ReadFile(kernel)
			if err != nil {
				t.Fatal(err)
			}
			f, err := elf.NewFile(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if f.Machine != machine.want {
				t.Errorf("it is for %v", f.Machine)
			}
			// The header: within 8 KiB, 4-byte aligned, three words with the sum 0.
			header := bytes.Index(content[:8192], []byte{0x02, 0xb0, 0xad, 0x1b})
			if header < 0 || header%4 != 0 {
				t.Fatalf("multiboot header at %d", header)
			}
			word := func(i int) uint32 { return binary.LittleEndian.Uint32(content[header+4*i:]) }
			if word(0)+word(1)+word(2) != 0 || uint64(word(7)) != f.Entry {
				t.Errorf("multiboot header %#x, entry %#x", content[header:header+32], f.Entry)
			}
			symbols, err := f.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			told, err := os.ReadFile("kernel/landgo.h")
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^LANDGO_TELL\((\w+)`).FindAllStringSubmatch(string(told), -1) {
				n := 0
				for _, s := range symbols {
					if s.Name == "landgo_"+m[1] && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
						n++
					}
				}
				if n != 1 {
					t.Errorf("%d symbols landgo_%s", n, m[1])
				}
			}
		})
	}
}
