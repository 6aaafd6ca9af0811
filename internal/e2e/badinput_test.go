package e2e

import (
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/result"
)

// complains checks an ending without a verdict. There is nothing on stdout but the
// object that --json prints for it, one line on stderr that names the kind of
// problem, and its exit status.
func (e ending) complains(t *testing.T, kind result.ErrorKind, words ...string) {
	t.Helper()
	if e.stdout != "" && !isFailure(e.stdout) {
		t.Errorf("stdout isn't empty: %.500q", e.stdout)
	}
	line := strings.TrimSuffix(e.stderr, "\n")
	if strings.Contains(line, "\n") || !strings.HasSuffix(line, "["+string(kind)+"]") {
		t.Errorf("stderr is %q, want one line that ends [%s]", e.stderr, kind)
	}
	for _, w := range words {
		if !strings.Contains(line, w) {
			t.Errorf("stderr %q doesn't say %q", line, w)
		}
	}
	if want := result.Explain(kind).Status; e.status != want {
		t.Errorf("exit status %d, want %d", e.status, want)
	}
}

// small is the smallest program: an entry point and an exit.
func small(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "small.s")
	text := ".globl _start\n_start: mov $60, %eax\n xor %edi, %edi\n syscall\n.data\n.quad 1\n"
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "small.elf")
	if text, err := exec.Command("gcc", "-nostdlib", "-static", "-o", out, src).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Offsets into an ELF64 header and its program headers.
const (
	atType    = 16
	atMachine = 18
	atPhoff   = 32
	atPhnum   = 56
	phSize    = 56
	phFlags   = 4
	phOffset  = 8
	phVaddr   = 16
	phFilesz  = 32
	phMemsz   = 40
)

// segments calls f with each PT_LOAD program header's bytes.
func segments(b []byte, f func(ph []byte)) {
	off := binary.LittleEndian.Uint64(b[atPhoff:])
	for i := range int(binary.LittleEndian.Uint16(b[atPhnum:])) {
		ph := b[int(off)+i*phSize:][:phSize]
		if elf.ProgType(binary.LittleEndian.Uint32(ph)) == elf.PT_LOAD {
			f(ph)
		}
	}
}

func TestBadFiles(t *testing.T) {
	put16, put32, put64 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32, binary.LittleEndian.PutUint64
	for _, c := range []struct {
		name string
		edit func(b []byte) []byte
		kind result.ErrorKind
	}{
		{"empty", func(b []byte) []byte { return nil }, result.NotELF},
		{"text", func(b []byte) []byte { return []byte("int main() { return 0; }\n") }, result.NotELF},
		{"magic only", func(b []byte) []byte { return b[:4] }, result.BrokenELF},
		{"truncated header", func(b []byte) []byte { return b[:40] }, result.BrokenELF},
		{"truncated program headers", func(b []byte) []byte { return b[:80] }, result.BrokenELF},
		{"truncated segment", func(b []byte) []byte { return b[:0x1001] }, result.BrokenELF},
		{"program headers beyond the file", func(b []byte) []byte { put64(b[atPhoff:], 1<<62); return b }, result.BrokenELF},
		{"program headers that wrap around", func(b []byte) []byte { put64(b[atPhoff:], 1<<64-8); return b }, result.BrokenELF},
		{"65,535 program headers", func(b []byte) []byte { put16(b[atPhnum:], 0xffff); return b }, result.BrokenELF},
		{"segment beyond the file", func(b []byte) []byte {
			segments(b, func(ph []byte) { put64(ph[phOffset:], 1<<60) })
			return b
		}, result.BrokenELF},
		{"segment larger in the file than in memory", func(b []byte) []byte {
			segments(b, func(ph []byte) { put64(ph[phMemsz:], 1) })
			return b
		}, result.BrokenELF},
		{"segment of exabytes", func(b []byte) []byte {
			segments(b, func(ph []byte) { put64(ph[phMemsz:], 1<<62) })
			return b
		}, result.TooLarge},
		{"segment of all memory", func(b []byte) []byte {
			segments(b, func(ph []byte) { put64(ph[phVaddr:], 0); put64(ph[phMemsz:], 1<<64-1) })
			return b
		}, result.TooLarge},
		{"wrong machine", func(b []byte) []byte { put16(b[atMachine:], uint16(elf.EM_AARCH64)); return b }, result.WrongMachine},
		{"32 bits", func(b []byte) []byte { b[elf.EI_CLASS] = byte(elf.ELFCLASS32); return b }, result.WrongMachine},
		{"big-endian", func(b []byte) []byte { b[elf.EI_DATA] = byte(elf.ELFDATA2MSB); return b }, result.WrongMachine},
		{"object file", func(b []byte) []byte { put16(b[atType:], uint16(elf.ET_REL)); return b }, result.NotProgram},
		{"core dump", func(b []byte) []byte { put16(b[atType:], uint16(elf.ET_CORE)); return b }, result.NotProgram},
		{"no executable segment", func(b []byte) []byte {
			segments(b, func(ph []byte) { put32(ph[phFlags:], uint32(elf.PF_R)) })
			return b
		}, result.NoCode},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "guest.elf")
			if err := os.WriteFile(path, c.edit(small(t)), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, sub := range []string{"run", "inspect"} {
				e := run(t, sub, path)
				e.complains(t, c.kind, path)
				if e.peak > 256<<10 {
					t.Errorf("%s took %d KiB", sub, e.peak)
				}
			}
		})
	}
}

// TestSmall: the program that TestBadFiles breaks is a good one unbroken.
func TestSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "guest.elf")
	if err := os.WriteFile(path, small(t), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "run", "--json", path).decode(t); r.Verdict != result.Verified || r.Executions != 1 {
		t.Errorf("%s (%s), %d executions", r.Verdict, r.Reason, r.Executions)
	}
}

func TestBadCommands(t *testing.T) {
	good := guest(t, "lost.c")
	dynamic := filepath.Join(t.TempDir(), "dynamic.elf")
	if text, err := exec.Command("gcc", "-pthread", "-Wl,--dynamic-linker=/lib64/ld-nowhere.so.2", "-o", dynamic, "testdata/lost.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	old := filepath.Join(t.TempDir(), "i386.elf")
	if text, err := exec.Command("gcc", "-m32", "-ffreestanding", "-fno-pic", "-no-pie", "-nostdlib", "-static", "-o", old, "testdata/freestanding.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(t.TempDir(), "precious.c")
	if err := os.WriteFile(precious, []byte("int x;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		args  []string
		kind  result.ErrorKind
		words []string
	}{
		{"no file", []string{"run", "nowhere.elf"}, result.NoFile, []string{"nowhere.elf"}},
		{"a directory", []string{"run", t.TempDir()}, result.NotProgram, []string{"a folder: --make"}},
		{"no dynamic linker", []string{"run", dynamic}, result.Dynamic, []string{"/lib64/ld-nowhere.so.2", "--sysroot", "-static"}},
		{"no guest", []string{"run"}, result.Usage, nil},
		{"unknown command", []string{"rnu", good}, result.Usage, []string{`run`}},
		{"unknown flag", []string{"run", "--serch", "none", good}, result.Usage, []string{"--search"}},
		{"unknown search", []string{"run", "--search", "optimla", good}, result.Usage, []string{"optimal"}},
		{"unknown point", []string{"run", "--pp", "yield,locks", good}, result.UnknownPoint, []string{`"locks"`, `"lock"`}},
		{"empty point", []string{"run", "--pp", "", good}, result.UnknownPoint, nil},
		{"bad time", []string{"run", "--time", "soon", good}, result.Usage, []string{"--time"}},
		{"bad memory", []string{"run", "--memory", "-3", good}, result.Usage, []string{"--memory"}},
		{"bad bound", []string{"run", "--search", "none", "--bound", "premept=2", good}, result.Usage, []string{"preempt"}},
		{"unsound bound", []string{"run", "--bound", "preempt=2", good}, result.UnsoundBound, []string{"searches with that bound: none"}},
		{"bad environment", []string{"run", "--env", "PATH", good}, result.Usage, []string{"PATH"}},
		{"input from a folder", []string{"run", "--stdin", t.TempDir(), good}, result.Unreadable, nil},
		{"input without end", []string{"run", "--stdin", "/dev/zero", good}, result.Unreadable, []string{"/dev/zero", "regular"}},
		{"input from a pipe without a writer", []string{"run", "--stdin", pipe, good}, result.Unreadable, []string{pipe}},
		{"file without end", []string{"run", "--file", "/dev/zero:/in", good}, result.Unreadable, []string{"/dev/zero"}},
		{"guest from a pipe", []string{"run", pipe}, result.Unreadable, []string{pipe}},
		{"bug file from a pipe", []string{"replay", pipe}, result.Unreadable, []string{pipe}},
		{"bug file without end", []string{"replay", "/dev/zero"}, result.Unreadable, nil},
		{"output to a pipe", []string{"run", "--out", pipe, good}, result.Unwritable, []string{pipe}},
		{"i386", []string{"run", old}, result.WrongMachine, []string{"i386"}},
		{"no such input", []string{"run", "--stdin", "nowhere.txt", good}, result.NoFile, []string{"nowhere.txt"}},
		{"output in no folder", []string{"run", "--out", "/nowhere/bug.landgo", good}, result.Unwritable, []string{"/nowhere/bug.landgo"}},
		{"output over a file", []string{"run", "--out", precious, good}, result.Unwritable, []string{precious}},
		{"output over a folder", []string{"run", "--out", t.TempDir(), good}, result.Unwritable, nil},
		{"no bug file", []string{"replay", "nowhere.landgo"}, result.NoFile, nil},
		{"no bug file's form", []string{"replay", precious}, result.BadBugFile, nil},
		{"bad schedule", []string{"replay", "--schedule", "0:3 1:4", good}, result.BadSchedule, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, c.args...).complains(t, c.kind, c.words...)
		})
	}
	if b, err := os.ReadFile(precious); err != nil || string(b) != "int x;\n" {
		t.Errorf("the file in the way now holds %q (%v)", b, err)
	}
}

// TestWildGuests: guests that don't end, or that would take the machine with
// them, end by what they do, in time and with a bounded memory.
func TestWildGuests(t *testing.T) {
	for _, c := range []struct {
		name   string
		source string
		flags  []string
		kind   result.ErrorKind
		words  []string
	}{
		{"loops before its first thread", "endless.c", []string{"--step-budget", "10000000"}, result.StepTooLong, []string{"main", "endless.c:"}},
		{"prints for ever", "print.c", nil, result.TooMuchOutput, nil},
		{"creates threads for ever", "threads.c", nil, result.TooManyThreads, []string{"128"}},
		{"instruction that isn't modelled", "avx.c", nil, result.UnmodelledInstruction, []string{"AVX", "main", "avx.c:4"}},
		{"return from an interrupt", "iret.c", nil, result.UnmodelledInstruction, []string{"iret", "main"}},
		{"system call that isn't modelled", "socket.c", nil, result.UnmodelledCall, []string{"socket", "socket.c:6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"run", guest(t, c.source)}, c.flags...)
			e := run(t, append(args, "--json")...)
			r := e.decode(t)
			if r.Problem != c.kind || r.ExitStatus() != result.Explain(c.kind).Status {
				t.Fatalf("verdict %s, problem %q: %s", r.Verdict, r.Problem, r.Reason)
			}
			if e.peak > 1<<20 {
				t.Errorf("took %d KiB", e.peak)
			}
			where := result.Innermost(r.Place)
			said := r.Reason + " " + where.Function + " " + where.Where()
			for _, w := range c.words {
				if !strings.Contains(said, w) {
					t.Errorf("reason %q at %s %s doesn't say %q", r.Reason, where.Function, where.Where(), w)
				}
			}
			// The reason may be cut into lines, and what to do without a call stands below it.
			reason := strings.TrimSuffix(r.Reason, ": "+r.OwnCure())
			text := run(t, args...)
			if said := strings.Join(strings.Fields(text.stdout), " "); text.status != e.status || !strings.Contains(said, reason) || !strings.Contains(said, r.OwnCure()) {
				t.Errorf("as text: exit %d, stdout %.1000q lacks the reason %q", text.status, text.stdout, r.Reason)
			}
		})
	}
}

// TestTerabytes: the guest's machine has 2 GiB; a guest that wants more is told
// so, as by a kernel, and landgo takes no more than that.
func TestTerabytes(t *testing.T) {
	for _, flags := range [][]string{
		{"-DPIECE=1ul<<36"},
		{"-DPIECE=1ul<<26", "-DWRITE"},
	} {
		e := run(t, "run", "--json", guest(t, "memory.c", flags...))
		if r := e.decode(t); r.Verdict != result.Verified || e.peak > 3<<20 {
			t.Errorf("%v: %s (%s), %d KiB", flags, r.Verdict, r.Reason, e.peak)
		}
	}
}

// TestUnwritableStdout: a result that can't be written isn't a success.
func TestUnwritableStdout(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	path := guest(t, "lost.c", "-DLOCK")
	for _, args := range [][]string{
		{"run", path}, {"run", "--json", path}, {"inspect", path}, {"version"}, {"help"}, {"help", "errors"}, {"completion", "bash"},
	} {
		cmd := command(t, args...)
		cmd.Stdout = full
		finish(t, cmd).complains(t, result.NoOutput, "no space left")
	}
}

// TestNobodyReads: a reader that goes away before the result is there (head)
// is no fault, and the exit status still says the verdict.
func TestNobodyReads(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	cmd := command(t, "run", "--quiet", guest(t, "lost.c"))
	cmd.Stdout = w
	if e := finish(t, cmd); e.status != result.ExitBug || e.stderr != "" {
		t.Errorf("exit %d, stderr %q", e.status, e.stderr)
	}
}

// TestPointlessPoint: points that can't be anywhere in the guest give no green
// verdict.
func TestPointlessPoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "guest.elf")
	if err := os.WriteFile(path, small(t), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"lock", "unlock", "atomic"} {
		e := run(t, "run", "--json", "--pp", kind, path)
		if r := e.decode(t); r.Verdict != result.Invalid || r.Problem != result.PointlessPoint || !strings.Contains(r.Reason, "--pp "+kind) {
			t.Errorf("--pp %s: %s, %q: %s", kind, r.Verdict, r.Problem, r.Reason)
		}
	}
	if r := run(t, "run", "--json", "--pp", "yield", path).decode(t); r.Verdict != result.Verified {
		t.Errorf("--pp yield: %s (%s)", r.Verdict, r.Reason)
	}
}

// isFailure reports whether a text is the object that --json prints for an error.
func isFailure(text string) bool {
	var f result.Failure
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(&f) == nil && f.Schema == result.Schema && f.Error.Kind != "" && !d.More()
}
