# int forked(void *stack, void (*child)(void *), void *arg): like a library's,
# and checks on the child's side that each register but %rax is the parent's.
# On a difference the child runs into ud2.

	.section .note.GNU-stack, "", @progbits
	.text
	.globl forked
	.type forked, @function
forked:
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	mov $11, %ebx
	mov $12, %ecx
	mov $13, %ebp
	mov $14, %r8d
	mov $15, %r9d
	mov $16, %r10d
	mov $17, %r11d
	mov $18, %r12d
	mov $19, %r13d
	mov $20, %r14d
	mov %rsp, %r15
	stc
	int $0x52
	jnc 9f
	test %eax, %eax
	jz 1f
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret

	.macro same reg, value
	cmp $\value, \reg
	jne 9f
	.endm
1:	same %rbx, 11
	same %rcx, 12
	same %rbp, 13
	same %r8, 14
	same %r9, 15
	same %r10, 16
	same %r11, 17
	same %r12, 18
	same %r13, 19
	same %r14, 20
	cmp %rsp, %r15
	jne 9f
	mov %rdi, %rsp
	mov %rdx, %rdi
	call *%rsi
	hlt
9:	ud2
	.size forked, . - forked
