package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// idleBoot is a kernel that waits for ticks before it is up, with nothing that a tick would end.
const idleBoot = `.section .multiboot, "a"
.long 0x1badb002, 0, -0x1badb002
.text
.globl _start, landgo_booted, landgo_created, landgo_ready, landgo_unready, landgo_switch
.macro tell value port
	mov $\value, %al
	out %al, $\port
.endm
_start: mov $stack, %esp
	mov $handler, %eax
	mov %ax, gate
	shr $16, %eax
	mov %ax, gate + 6
	lidt table
	tell 0x11, 0x20
	tell 0x20, 0x21
	tell 4, 0x21
	tell 1, 0x21
	tell 0xfe, 0x21
	tell 0x34, 0x43
	tell 0, 0x40
	tell 0, 0x40
	sti
1:	hlt
	jmp 1b
	call landgo_booted
handler: push %eax
	tell 0x20, 0x20
	pop %eax
	iret
landgo_booted: landgo_created: landgo_ready: landgo_unready: landgo_switch: ret
.data
gates:	.fill 32, 8, 0
gate:	.word 0, 8, 0x8e00, 0
table:	.word . - gates - 1
	.long gates
.bss
	.skip 4096
stack:
`

// TestIdleBoot: a kernel that idles for ever before it is up is told so, and no test is blamed.
func TestIdleBoot(t *testing.T) {
	t.Parallel()
	guest := compile.Assembly(t, idleBoot, "-m32", "-Wl,-Ttext=0x100000,--build-id=none")
	r, err := Run(context.Background(), kernelConfig(guest, "", "cli"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Invalid || r.Problem != result.NotBooted || !strings.Contains(r.Reason, "idles before landgo_booted is called") {
		t.Errorf("%s, %s: %s", r.Verdict, r.Problem, r.Reason)
	}
	cfg := kernelConfig(guest, "", "cli")
	cfg.StepBudget = 10_000
	if r, err := Run(context.Background(), cfg, nil); err != nil || r.Problem != result.StepTooLong || !strings.Contains(r.Reason, "without calling landgo_booted") {
		t.Errorf("with a small step budget: %v, %s, %s: %s", err, r.Verdict, r.Problem, r.Reason)
	}
}
