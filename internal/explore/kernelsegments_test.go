package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// moved is a kernel whose segments begin at 0x40000000, so that its code at 0xc01xxxxx is
// at 0x001xxxxx without paging.
const moved = `.section .multiboot, "a"
.long 0x1badb002, 0, -0x1badb002
.text
.globl _start, landgo_booted, landgo_created, landgo_ready, landgo_unready, landgo_switch
_start: lgdt table
	ljmp $8, $high + 0xc0000000
high:	call landgo_booted
1:	jmp 1b
landgo_booted: landgo_created: landgo_ready: landgo_unready: landgo_switch: ret
.data
gdt: .quad 0, 0x40cf9a000000ffff
table: .word 15
	.long gdt
`

// TestSegments: a kernel with segments that don't begin at 0 is told so, with the cure for
// that.
func TestSegments(t *testing.T) {
	t.Parallel()
	guest := compile.Assembly(t, moved, "-m32", "-Wl,-Ttext=0x100000,--build-id=none")
	r, err := Run(context.Background(), kernelConfig(guest, "", "cli"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Invalid || r.Problem != result.OtherSegments || !strings.Contains(r.Reason, "the code segment begins at 0x40000000") {
		t.Errorf("%s, %s: %s", r.Verdict, r.Problem, r.Reason)
	}
}
