# What can't be said in C: code that may not touch a stack.

	.section .note.GNU-stack, "", @progbits
	.text

# int thread_spawn(void *stack, void *(*func)(void *), void *arg)
#
# The child comes out of thread_fork with the parent's registers, the stack
# pointer too, and takes its own stack before it does anything else. What func
# returns is the thread's status.
	.globl thread_spawn
	.type thread_spawn, @function
thread_spawn:
	.cfi_startproc
#ifdef __i386__
	push %ebx
	.cfi_adjust_cfa_offset 4
	.cfi_offset ebx, -8
	mov 8(%esp), %ecx
	mov 12(%esp), %edx
	mov 16(%esp), %ebx
	int $0x52
	test %eax, %eax
	jz 1f
	pop %ebx
	.cfi_adjust_cfa_offset -4
#else
	int $0x52
	test %eax, %eax
	jz 1f
#endif
	ret
	.cfi_endproc
	.size thread_spawn, . - thread_spawn

	.type thread_start, @function
thread_start:
	.cfi_startproc
#ifdef __i386__
	.cfi_undefined eip
1:	mov %ecx, %esp
	xor %ebp, %ebp
	sub $12, %esp		# the argument begins at a multiple of 16
	push %ebx
	call *%edx
	mov %eax, (%esp)
#else
	.cfi_undefined rip
1:	mov %rdi, %rsp
	xor %ebp, %ebp
	mov %rdx, %rdi
	call *%rsi
	mov %rax, %rdi
#endif
	call thr_exit
	hlt
	.cfi_endproc
	.size thread_start, . - thread_start

# void unlock_and_vanish(volatile int *held)
#
# With the store others may free the stack that this runs on.
	.globl unlock_and_vanish
	.type unlock_and_vanish, @function
unlock_and_vanish:
	.cfi_startproc
#ifdef __i386__
	mov 4(%esp), %eax
	movl $0, (%eax)
#else
	movl $0, (%rdi)
#endif
	int $0x60
	hlt
	.cfi_endproc
	.size unlock_and_vanish, . - unlock_and_vanish
