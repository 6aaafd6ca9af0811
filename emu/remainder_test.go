package emu

import (
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program runs fprem and fprem1 until they say that they are done, of numbers
// from its argument: each line has two, of ten bytes.
const remainderProgram = `#include <stdio.h>
#include <string.h>
static void show(long double r, unsigned s) {
	unsigned char b[16];
	memcpy(b, &r, 10);
	for (int i = 0; i < 10; i++)
		printf("%02x", b[i]);
	printf("%04x ", s & 0x4700);
}
int main(void) {
	unsigned char p[32];
	for (;;) {
		long double x, y, r;
		unsigned short s;
		for (int i = 0; i < 20; i++) {
			unsigned v;
			if (scanf("%2x", &v) != 1)
				return 0;
			p[i] = v;
		}
		memset(&x, 0, sizeof x), memset(&y, 0, sizeof y);
		memcpy(&x, p, 10), memcpy(&y, p + 10, 10);
		for (r = x, s = 0x400; s & 0x400;)
			asm volatile("fprem; fnstsw %1" : "=t"(r), "=a"(s) : "0"(r), "u"(y));
		show(r, s);
		for (r = x, s = 0x400; s & 0x400;)
			asm volatile("fprem1; fnstsw %1" : "=t"(r), "=a"(s) : "0"(r), "u"(y));
		show(r, s);
		putchar('\n');
	}
}
`

// printedBy is what a program in C prints, a line each, with an input. It runs on this machine.
func printedBy(t *testing.T, text, input string) []string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "program.c")
	program := strings.TrimSuffix(source, ".c")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command("gcc", "-w", "-O1", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, msg)
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(out), "\n")
}

// TestRemainders: x87's remainders are those of the processor, to the last bit.
func TestRemainders(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	number := func() []byte {
		b := make([]byte, 10)
		random.Read(b)
		if random.Intn(4) == 0 {
			clear(b[:7]) // few bits: quotients are exact, and halves come
		}
		b[7] |= 0x80
		top := 16383 + random.Intn(140) - 70
		if random.Intn(8) == 0 {
			top = 1 + random.Intn(32766)
		}
		if random.Intn(50) == 0 { // denormal
			top = 0
			b[0], b[7] = b[0]|1, 0
		}
		b[8], b[9] = byte(top), b[9]&0x80|byte(top>>8)
		return b
	}
	var pairs [][]byte
	text := ""
	for range 3000 {
		pairs = append(pairs, append(number(), number()...))
		text += hex.EncodeToString(pairs[len(pairs)-1]) + "\n"
	}
	truth := printedBy(t, remainderProgram, text)
	code := ""
	for i, op := range []string{"fprem", "fprem1"} {
		code += fmt.Sprintf("fldt 16(%%rbx)\nfldt (%%rbx)\n1: %s\nfnstsw %%ax\ntest $0x400, %%eax\njnz 1b\nfstpt %d(%%rbx)\nmov %%ax, %d(%%rbx)\nfstp %%st(0)\n", op, 32+16*i, 42+16*i)
	}
	check := func(t *testing.T, knobs uint32) error {
		g := small(t, code, knobs)
		for i, p := range pairs {
			g.Load(dataAt, p[:10])
			g.Load(dataAt+16, p[10:])
			s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt, RSP: stackAt + 0x1000, RFLAGS: 2}), Flags: Solo})
			if s.Why != StopPrivileged {
				return fmt.Errorf("%v (%s)", s.Why, s.Detail)
			}
			got := ""
			for _, at := range []uint64{32, 48} {
				b := g.Bytes(dataAt+at, 12)
				got += fmt.Sprintf("%x%02x%02x ", b[:10], b[11]&0x47, 0)
			}
			if got != truth[i] {
				return fmt.Errorf("%x, %x: %s, on this processor %s", p[:10], p[10:], got, truth[i])
			}
		}
		return nil
	}
	cured(t, knobNoGuard, check)
}
