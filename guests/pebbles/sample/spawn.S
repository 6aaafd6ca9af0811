# int thread_spawn(void *stack, void *(*func)(void *), void *arg)
#
# The child of thread_fork has its parent's stack pointer: it takes its own
# stack before it does anything else.

	.section .note.GNU-stack, "", @progbits
	.text
	.globl thread_spawn
	.type thread_spawn, @function
thread_spawn:
	int $0x52
	test %eax, %eax
	jz child
	ret
	.size thread_spawn, . - thread_spawn

child:
	mov %rdi, %rsp
	mov %rdx, %rdi
	call *%rsi
	mov %rax, %rdi
	call thr_exit
