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
	int $0x52
	test %eax, %eax
	jz 1f
	ret
	.cfi_endproc
	.size thread_spawn, . - thread_spawn

	.type thread_start, @function
thread_start:
	.cfi_startproc
	.cfi_undefined rip
1:	mov %rdi, %rsp
	xor %ebp, %ebp
	mov %rdx, %rdi
	call *%rsi
	mov %rax, %rdi
	call thr_exit
	hlt
	.cfi_endproc
	.size thread_start, . - thread_start

# void unlock_and_vanish(volatile unsigned *serving)
#
# With the addition others may use the stack that this runs on.
	.globl unlock_and_vanish
	.type unlock_and_vanish, @function
unlock_and_vanish:
	.cfi_startproc
	incl (%rdi)
	int $0x60
	hlt
	.cfi_endproc
	.size unlock_and_vanish, . - unlock_and_vanish
