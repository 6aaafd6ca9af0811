# Two threads run this: a spin lock around a counter, K rounds (in ecx). The
# lock is at 0x600000, the counter behind it.
	.globl _start
_start:
	mov	$0x600000, %rdi
1:	mov	$1, %eax
	push	%rcx
2:	xchg	%eax, (%rdi)
	test	%eax, %eax
	jz	3f
	.globl spin
spin:	pause
	jmp	2b
3:	mov	8(%rdi), %edx
	call	inc
	mov	%edx, 8(%rdi)
	movl	$0, (%rdi)
	pop	%rcx
	dec	%ecx
	jnz	1b
	hlt
inc:	push	%rbp
	mov	%rsp, %rbp
	lea	1(%rdx), %edx
	pop	%rbp
	ret
