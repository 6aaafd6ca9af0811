# int forked(void *stack, void (*child)(void *), void *arg): like a library's,
# and checks on the child's side that each register but %rax is the parent's (on i386 those
# that the arguments leave).
# On a difference the child runs into ud2.

	.section .note.GNU-stack, "", @progbits
	.text
	.globl forked
	.type forked, @function
forked:
#ifdef __i386__
	push %ebx
	push %ebp
	push %esi
	push %edi
	mov 20(%esp), %ecx	# stack, child, arg
	mov 24(%esp), %edx
	mov 28(%esp), %ebx
	mov $13, %ebp
	mov $14, %esi
	mov %esp, %edi
	stc
	int $0x52
	jnc 9f
	test %eax, %eax
	jz 1f
	pop %edi
	pop %esi
	pop %ebp
	pop %ebx
	ret
#else
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
#endif

	.macro same reg, value
	cmp $\value, \reg
	jne 9f
	.endm
#ifdef __i386__
1:	same %ebp, 13
	same %esi, 14
	cmp %esp, %edi
	jne 9f
	mov %ecx, %esp
	sub $12, %esp
	push %ebx
	call *%edx
	hlt
#else
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
#endif
9:	ud2
	.size forked, . - forked
