# void call_X(struct regs *before, struct regs *after): loads all registers but
# %rsp, makes the call, and keeps all registers.

	.section .note.GNU-stack, "", @progbits
	.text

#ifdef __i386__
	.macro save_callee
	push %ebx
	push %ebp
	push %esi
	push %edi
	mov 20(%esp), %edi
	.endm

	.macro load
	pushl 7*4(%edi)
	popf
	mov 1*4(%edi), %ebx
	mov 2*4(%edi), %ecx
	mov 3*4(%edi), %edx
	mov 4*4(%edi), %esi
	mov 6*4(%edi), %ebp
	mov 0*4(%edi), %eax
	mov 5*4(%edi), %edi
	.endm

	.macro keep
	push %edi
	mov 28(%esp), %edi
	mov %eax, 0*4(%edi)
	mov %ebx, 1*4(%edi)
	mov %ecx, 2*4(%edi)
	mov %edx, 3*4(%edi)
	mov %esi, 4*4(%edi)
	mov %ebp, 6*4(%edi)
	pushf
	popl 7*4(%edi)
	popl 5*4(%edi)
	.endm

	.macro restore
	pop %edi
	pop %esi
	pop %ebp
	pop %ebx
	ret
	.endm
#else
	.macro save_callee
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	push %rsi
	.endm

	.macro load
	pushq 15*8(%rdi)
	popf
	mov 1*8(%rdi), %rbx
	mov 2*8(%rdi), %rcx
	mov 3*8(%rdi), %rdx
	mov 4*8(%rdi), %rsi
	mov 6*8(%rdi), %rbp
	mov 7*8(%rdi), %r8
	mov 8*8(%rdi), %r9
	mov 9*8(%rdi), %r10
	mov 10*8(%rdi), %r11
	mov 11*8(%rdi), %r12
	mov 12*8(%rdi), %r13
	mov 13*8(%rdi), %r14
	mov 14*8(%rdi), %r15
	mov 0*8(%rdi), %rax
	mov 5*8(%rdi), %rdi
	.endm

	.macro keep
	push %rdi
	mov 8(%rsp), %rdi
	mov %rax, 0*8(%rdi)
	mov %rbx, 1*8(%rdi)
	mov %rcx, 2*8(%rdi)
	mov %rdx, 3*8(%rdi)
	mov %rsi, 4*8(%rdi)
	mov %rbp, 6*8(%rdi)
	mov %r8, 7*8(%rdi)
	mov %r9, 8*8(%rdi)
	mov %r10, 9*8(%rdi)
	mov %r11, 10*8(%rdi)
	mov %r12, 11*8(%rdi)
	mov %r13, 12*8(%rdi)
	mov %r14, 13*8(%rdi)
	mov %r15, 14*8(%rdi)
	pushf
	popq 15*8(%rdi)
	popq 5*8(%rdi)
	.endm

	.macro restore
	pop %rsi
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.endm
#endif

	.macro call name, vector
	.globl \name
	.type \name, @function
\name:
	save_callee
	load
	int $\vector
	keep
	restore
	.size \name, . - \name
	.endm

	call call_gettid, 0x48
	call call_new_pages, 0x49

# long raw_sleep(long rsi)
	.globl raw_sleep
	.type raw_sleep, @function
raw_sleep:
#ifdef __i386__
	push %esi
	mov 8(%esp), %esi
	int $0x4b
	pop %esi
#else
	mov %rdi, %rsi
	int $0x4b
#endif
	ret
	.size raw_sleep, . - raw_sleep
