#include "variant.h"

/* Where interrupts arrive. Each vector has an entry of 16 bytes. It pushes an error code where
 * the processor has pushed none, so that all frames are alike (interrupt.c). Then it pushes the
 * vector. */

#define ENTRY_SIZE 16

	.altmacro
	.macro entry_of vector
	.balign ENTRY_SIZE
	.if \vector != 8 && (\vector < 10 || \vector > 14) && \vector != 17 && \vector != 21
	push $0
	.endif
	push $\vector
	jmp enter
	.endm

	.text
	.globl interrupt_entries
	.balign ENTRY_SIZE
interrupt_entries:
	.set vector, 0
	.rept 48
	entry_of %vector
	.set vector, vector + 1
	.endr

	.balign ENTRY_SIZE
enter:
#ifdef __x86_64__
	push %rax
	push %rbx
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	push %rbp
	push %r8
	push %r9
	push %r10
	push %r11
	push %r12
	push %r13
	push %r14
	push %r15
	cld
	mov %rsp, %rdi
	call interrupt
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rbp
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %rbx
	pop %rax
	add $16, %rsp
#if REGISTER_LOST
	xor $1, %r12
#endif
	iretq
#else
	pusha
	cld
	push %esp
	call interrupt
	add $4, %esp
	popa
	add $8, %esp
#if REGISTER_LOST
	xor $1, %edi
#endif
	iret
#endif

	.section .note.GNU-stack, "", @progbits
