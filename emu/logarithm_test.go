package emu

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"
)

// The program runs fyl2x, fyl2xp1, f2xm1 and fpatan of numbers from its input: each line has
// three, of ten bytes. It prints the results, and x87's status word behind each.
const logarithmProgram = `#include <stdio.h>
#include <string.h>
#define RUN(f, a, b) do { unsigned char r[16]; unsigned short s; \
	asm volatile("fninit; fldt %3; fldt %2; " f "; fnstsw %1; fstpt %0" : "=m"(r), "=m"(s) : "m"(a), "m"(b) : "memory"); \
	for (int i = 0; i < 10; i++) printf("%02x", r[i]); printf("%04x ", s); } while (0)
int main(void) {
	for (;;) {
		unsigned char p[3][16];
		for (int k = 0; k < 3; k++)
			for (int i = 0; i < 10; i++) {
				unsigned v;
				if (scanf("%2x", &v) != 1)
					return 0;
				p[k][i] = v;
			}
		RUN("fyl2x", p[0], p[1]);
		RUN("fyl2xp1", p[2], p[1]);
		RUN("f2xm1", p[2], p[1]);
		RUN("fpatan", p[0], p[1]);
		putchar('\n');
	}
}
`

// extended returns a number of ten bytes: its class (finite, or the bytes) and value.
func extended(t *testing.T, text string) (finite bool, value *big.Float) {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	top := binary.LittleEndian.Uint16(b[8:])
	value = new(big.Float).SetUint64(binary.LittleEndian.Uint64(b))
	value.SetMantExp(value, max(int(top&0x7fff), 1)-16383-63)
	if top&0x8000 != 0 {
		value.Neg(value)
	}
	return top&0x7fff != 0x7fff, value
}

// near is whether two finite numbers of ten bytes are equal in a double's bits, or
// both too small for them.
func near(a, b *big.Float) bool {
	difference := new(big.Float).Sub(a, b)
	limit := new(big.Float).SetMantExp(new(big.Float).Abs(b), -50)
	smallest := new(big.Float).SetMantExp(big.NewFloat(1), -16440)
	return difference.Abs(difference).Cmp(limit) <= 0 || difference.Cmp(smallest) <= 0
}

// TestLogarithms: logarithms, powers and the arctangent of x87 are the processor's, as exactly
// as a double. So are limits, signs, what is no number, and how many numbers the stack has.
func TestLogarithms(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	special := []string{
		"00000000000000000000", "00000000000000000080", // 0, -0
		"0000000000000080ff3f", "0000000000000080ffbf", // 1, -1
		"0000000000000080fe3f", "0000000000000080fd3f", "00000000000000800040", // 0.5, 0.25, 2
		"0000000000000080ff7f", "0000000000000080ffff", // infinities
		"01000000000000c0ff7f", "00000000000000c0ffff", "0100000000000080ff7f", // no number; one that signals
		"01000000000000000000", "ffffffffffffff7f0080", // denormal
		"0100000000000080ff3f", "fffffffffffffffffe3f", // next to 1
	}
	number := func(low, high int) string {
		if random.Intn(4) == 0 {
			return special[random.Intn(len(special))]
		}
		b := make([]byte, 10)
		random.Read(b)
		b[7] |= 0x80
		top := 16383 + low + random.Intn(high-low)
		b[8], b[9] = byte(top), byte(random.Intn(2)<<7|top>>8)
		return hex.EncodeToString(b)
	}
	// fyl2xp1 and f2xm1 take numbers near 0 only.
	small3 := func() string {
		for {
			s := number(-16300, -2)
			finite, v := extended(t, s)
			if random.Intn(2) == 0 {
				s = number(-70, -2)
				finite, v = extended(t, s)
			}
			if f, _ := v.Float64(); finite && math.Abs(f) < 0.29 {
				return s
			}
		}
	}
	var cases [][3]string
	for _, x := range special {
		for _, y := range special {
			cases = append(cases, [3]string{x, y, small3()})
		}
	}
	for i := range 3000 {
		c := [3]string{number(-16382, 16383), number(-30, 30), small3()}
		if i%2 == 0 {
			c[0] = number(-2, 2)
		}
		if i%16 == 0 { // results at the limit of exponents
			c[0], c[1] = number(-16382, 16383), number(16365, 16383)
		}
		if i%16 == 1 { // operands that no double has
			c[1] = number(-16382, 16383)
		}
		cases = append(cases, c)
	}
	text := ""
	for _, c := range cases {
		text += c[0] + c[1] + c[2] + "\n"
	}
	truth := printedBy(t, logarithmProgram, text)
	functions := []string{"fyl2x", "fyl2xp1", "f2xm1", "fpatan"}
	code := ""
	for i, f := range functions {
		first := 0
		if f == "fyl2xp1" || f == "f2xm1" {
			first = 32
		}
		code += fmt.Sprintf("fninit\nfldt 16(%%rbx)\nfldt %d(%%rbx)\n%s\nfnstsw %%ax\nfstpt %d(%%rbx)\nmov %%ax, %d(%%rbx)\n", first, f, 64+16*i, 74+16*i)
	}
	check := func(t *testing.T, knobs uint32) error {
		g := small(t, code, knobs)
		for i, c := range cases {
			for k, s := range c {
				b, _ := hex.DecodeString(s)
				g.Load(dataAt+uint64(16*k), b)
			}
			s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt, RSP: stackAt + 0x1000, RFLAGS: 2}), Flags: Solo})
			if s.Why != StopPrivileged {
				return fmt.Errorf("%v (%s)", s.Why, s.Detail)
			}
			for k, want := range strings.Fields(truth[i]) {
				b := g.Bytes(dataAt+uint64(64+16*k), 12)
				got, status := hex.EncodeToString(b[:10]), binary.LittleEndian.Uint16(b[10:])
				finite, value := extended(t, got)
				native, truly := extended(t, want[:20])
				var flags uint16
				fmt.Sscanf(want[20:], "%x", &flags)
				const top, told = 7 << 11, 1 | 4 // invalid, division by 0
				if finite != native || !finite && got != want[:20] || finite && !near(value, truly) || value.Signbit() != truly.Signbit() || (status^flags)&(top|told) != 0 {
					return fmt.Errorf("%s of %v: %s, status %x; on this processor %s", functions[k], c, got, status, want)
				}
			}
		}
		return nil
	}
	cured(t, knobNoGuard, check)
}
