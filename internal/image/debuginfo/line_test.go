package debuginfo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/image/x86"
)

// marked finds the line of testdata/inlined.c that has the mark.
func marked(t *testing.T, mark string) int {
	t.Helper()
	source, err := os.ReadFile("../testdata/inlined.c")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(source), "\n") {
		if strings.Contains(line, "/* "+mark+" */") {
			return i + 1
		}
	}
	t.Fatalf("no line is marked %s", mark)
	return 0
}

// frameText is "function:line" for each frame, innermost first; "^" marks an
// inlined one.
func frameText(fs []Frame) string {
	var parts []string
	for _, f := range fs {
		s := fmt.Sprintf("%s:%d", f.Function, f.Line)
		if f.Inlined {
			s += "^"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

// storeTo finds the instruction of a function that writes the variable.
func storeTo(t *testing.T, info *Info, function, variable string) uint64 {
	t.Helper()
	f, ok := info.Symbol(function)
	if !ok {
		t.Fatalf("no function %s", function)
	}
	for pc := f.Addr; pc < f.Addr+f.Size; {
		text, n, err := x86.Inst(info.File, info.Bytes(pc, x86.MaxInst), pc)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(text, "mov") && strings.HasSuffix(text, "(%rip)") || strings.HasPrefix(text, "xchg") {
			return pc
		}
		pc += uint64(n)
	}
	t.Fatalf("%s stores nothing to %s", function, variable)
	return 0
}

func TestFrames(t *testing.T) {
	store, call, outer := marked(t, "store"), marked(t, "call"), marked(t, "outer")
	for _, flags := range []string{
		"-O2 -gdwarf-4", "-O2 -gdwarf-5", "-O2 -gdwarf-5 -gz=zlib", "-O2 -gdwarf-5 -ffunction-sections -Wl,--gc-sections", "-O2 -g -flto",
	} {
		for _, l := range imagetest.Libcs {
			for _, static := range []string{"-static", "-static-pie"} {
				info := open(t, l.Compiler, "inlined.c", static+" "+flags)
				pc := storeTo(t, info, "worker", "counter")
				want := fmt.Sprintf("set:%d^ update:%d^ worker:%d", store, call, outer)
				fs := info.Frames(pc)
				if got := frameText(fs); got != want {
					t.Errorf("%s %s %s: %s, want %s", l.Compiler, static, flags, got, want)
				}
				for _, f := range fs {
					if f.File != "inlined.c" && f.File != "../testdata/inlined.c" {
						t.Errorf("%s: file %s", flags, f.File)
					}
					if _, err := os.Stat(f.Path); err != nil {
						t.Errorf("%s: %v", flags, err)
					}
				}
				if got := info.Frames(pc); frameText(got) != want {
					t.Errorf("second time: %s", frameText(got))
				}
			}
		}
	}
}

func TestFramesWithoutDWARF(t *testing.T) {
	info := open(t, "gcc", "inlined.c", "-static -O2")
	pc := storeTo(t, info, "worker", "counter")
	f, _ := info.Symbol("worker")
	fs := info.Frames(pc)
	if len(fs) != 1 || fs[0] != (Frame{Function: "worker", Offset: pc - f.Addr}) {
		t.Errorf("%+v", fs)
	}
	info = open(t, "gcc", "inlined.c", "-static -O2 -g -gsplit-dwarf")
	fs = info.Frames(storeTo(t, info, "worker", "counter"))
	if got, want := frameText(fs), fmt.Sprintf("worker:%d", marked(t, "store")); got != want {
		t.Errorf("functions in another file: %s, want %s", got, want)
	}
	info = open(t, "gcc", "inlined.c", "-static -O2 -s")
	if fs = info.Frames(pc); len(fs) != 1 || fs[0] != (Frame{}) {
		t.Errorf("stripped: %+v", fs)
	}
	if fs = info.Frames(0x10); fs != nil {
		t.Errorf("outside of all code: %+v", fs)
	}
}

// A path from elsewhere is shown by its last element: not where on this machine
// it lies.
func TestFramePaths(t *testing.T) {
	dir, beside := t.TempDir(), t.TempDir()
	source, err := filepath.Abs("../testdata/inlined.c")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "copy.c"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, dir, source, want string }{
		{"relative", filepath.Dir(source), "inlined.c", "inlined.c"},
		{"below", filepath.Dir(filepath.Dir(source)), "testdata/inlined.c", "testdata/inlined.c"},
		{"beside", beside, "../" + filepath.Base(dir) + "/copy.c", "../" + filepath.Base(dir) + "/copy.c"},
		{"elsewhere", dir, source, "inlined.c"},
	} {
		out := filepath.Join(dir, tc.name)
		cmd := imagetest.Command("gcc", "-static", "-O2", "-g", "-o", out, tc.source)
		cmd.Dir = tc.dir
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		info, err := read(out)
		if err != nil {
			t.Fatal(err)
		}
		fs := info.Frames(storeTo(t, info, "worker", "counter"))
		if _, err := os.Stat(fs[0].Path); fs[0].File != tc.want || err != nil || !filepath.IsAbs(fs[0].Path) {
			t.Errorf("%s: %s, %s; want %s", tc.name, fs[0].File, fs[0].Path, tc.want)
		}
	}
}

// Every instruction of a program built without optimisation has its line, the
// one that addr2line gives.
func TestFramesAgreeWithAddr2line(t *testing.T) {
	for _, flags := range []string{"-O0", "-O2", "-O3", "-Os"} {
		info := open(t, "gcc", "stacks.c", "-static -g "+flags)
		var pcs []uint64
		var args strings.Builder
		for _, f := range info.Functions {
			if fs := info.Frames(f.Addr); fs[0].File == "" {
				continue
			}
			for pc := f.Addr; pc < f.Addr+f.Size; {
				pcs = append(pcs, pc)
				fmt.Fprintf(&args, "%#x\n", pc)
				_, n, err := x86.Inst(info.File, info.Bytes(pc, x86.MaxInst), pc)
				if err != nil {
					t.Fatal(err)
				}
				pc += uint64(n)
			}
		}
		cmd := imagetest.Command("addr2line", "-afi", "-e", info.Path)
		cmd.Stdin = strings.NewReader(args.String())
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v (install binutils)", err)
		}
		if len(pcs) < 150 {
			t.Errorf("%s: only %d instructions with lines", flags, len(pcs))
		}
		compareAddr2line(t, info, pcs, string(out))
	}
}

// compareAddr2line reads its output: for each address a line "0x...", then
// pairs of function and file:line, innermost first.
func compareAddr2line(t *testing.T, info *Info, pcs []uint64, out string) {
	t.Helper()
	answers := strings.Split("\n"+out, "\n0x")[1:]
	if len(answers) != len(pcs) {
		t.Fatalf("%d answers for %d addresses", len(answers), len(pcs))
	}
	for i, pc := range pcs {
		lines := strings.Split(strings.TrimSpace(answers[i]), "\n")[1:]
		var want, got []string
		for j := 0; j+1 < len(lines); j += 2 {
			line, _, _ := strings.Cut(filepath.Base(lines[j+1]), " ")
			want = append(want, lines[j]+" "+line)
		}
		for _, f := range info.Frames(pc) {
			got = append(got, fmt.Sprintf("%s %s:%d", f.Function, filepath.Base(f.File), f.Line))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%#x: %v, addr2line says %v", pc, got, want)
		}
	}
}

// Opening must not wait for debug information, nor does a look at symbols: it is read
// when the first line is asked for.
func TestOpenReadsNoDebugInfo(t *testing.T) {
	info, err := read(imagetest.Compile(t, "gcc", "threads.c", "-static -g"))
	if err != nil {
		t.Fatal(err)
	}
	main, ok := info.Symbol("main")
	if !ok || info.loaded {
		t.Fatalf("main found: %t; debug information read: %t", ok, info.loaded)
	}
	if f := info.Frames(main.Addr); len(f) == 0 || f[0].Line == 0 || !info.loaded {
		t.Errorf("main is at %+v, and the debug information was read: %t", f, info.loaded)
	}
}

// TestSeparateLines: a library's lines are read from the file that has its debug
// information, unless it is the C library or the compiler's.
func TestSeparateLines(t *testing.T) {
	for name, want := range map[string]string{"libours.so": "deeper:1", "libm.so.6": "", "libatomic.so.1": ""} {
		dir := t.TempDir()
		source, library, separate := filepath.Join(dir, "x.c"), filepath.Join(dir, "x.so"), filepath.Join(dir, "x.debug")
		if err := os.WriteFile(source, []byte("void deeper(int *p) { *p = 1; }\nstatic __attribute__((used)) void inner(void) {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"gcc", "-g", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id", "-Wl,-soname," + name, "-o", library, source},
			{"objcopy", "--only-keep-debug", library, separate},
			{"strip", "--strip-all", library},
		} {
			if said, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, said)
			}
		}
		data, err := os.ReadFile(library)
		if err != nil {
			t.Fatal(err)
		}
		f, err := elffile.ParseLibrary(name, data, 0x20000000)
		if err != nil {
			t.Fatal(err)
		}
		if data, err = os.ReadFile(separate); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(data); n += 61 {
			if err := f.AddSeparate("x.debug", bytes.NewReader(data[:n]), int64(n)); err == nil || f.Separate != nil {
				t.Fatalf("%s: %d of %d bytes were taken", name, n, len(data))
			}
		}
		if err := f.AddSeparate("x.debug", bytes.NewReader(data), int64(len(data))); err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); f.Separate.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: the digest is of something else", name)
		}
		info := New(f)
		if _, ok := info.Symbol("inner"); !ok {
			t.Errorf("%s: no name of a static function", name)
		}
		s, ok := info.Symbol("deeper")
		if !ok {
			t.Fatalf("%s: no function", name)
		}
		if got := frameText(info.Frames(s.Addr)); got != want && (want != "" || strings.Contains(got, ":1")) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
