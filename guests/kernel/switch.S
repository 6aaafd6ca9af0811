/* The switch: what the ABI says that a function keeps is pushed, the stacks are
 * exchanged, and what the other thread pushed is popped. Interrupts are off. */

/* Of the thread's stack pointer in struct thread. */
#define STACK 16

	.text
	.globl switch_threads
switch_threads:
#ifdef __x86_64__
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp, STACK(%rdi)
	mov STACK(%rsi), %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
#else
	mov 4(%esp), %eax
	mov 8(%esp), %edx
	push %ebx
	push %ebp
	push %esi
	push %edi
	mov %esp, STACK(%eax)
	mov STACK(%edx), %esp
	pop %edi
	pop %esi
	pop %ebp
	pop %ebx
#endif
	ret

	.globl thread_entry
thread_entry:
	call thread_begin
	ud2

	.section .note.GNU-stack, "", @progbits
