/* Locked instructions: each label's test is in blend_test.go. */
	.globl	main
	.type	main, @function
main:
	nop
add:				/* the flags are overwritten */
	lock addl $1, word(%rip)
	testl	%eax, %eax
	ret
returns:			/* nothing reads them behind a return */
	lock incl word(%rip)
	ret
dropped:			/* what memory held is overwritten */
	movl	$1, %eax
	lock xaddl %eax, word(%rip)
	xorl	%eax, %eax
	ret
taken:				/* it is returned */
	movl	$1, %eax
	lock xaddl %eax, word(%rip)
	ret
zero:				/* whether it came to zero is asked */
	lock decl word(%rip)
	je	add
	ret
later:				/* on one way only */
	lock subl $1, word(%rip)
	jmp	1f
1:	movl	%ecx, %edx
	sete	%al
	ret
compared:			/* what memory held is compared, elsewhere */
	movl	$-1, %eax
	lock xaddl %eax, word(%rip)
	jmp	2f
1:	movl	$0, %eax
	ret
2:	cmpl	$3, %eax
	jne	1b
	movl	$1, %eax
	ret
tests:
	movl	$1, %eax
	lock xaddl %eax, word(%rip)
	testl	%eax, %eax
	jle	1b
	movl	$0, %eax
	ret
shifted:			/* with one more, as in ++n == 3 */
	movl	$1, %eax
	lock xaddl %eax, word(%rip)
	addl	$1, %eax
	cmpl	$3, %eax
	je	1b
	movl	$0, %eax
	ret
summed:				/* one more is compared with zero */
	movl	$-1, %eax
	lock xaddl %eax, word(%rip)
	subl	$1, %eax
	je	1b
	jmp	tests
twice:				/* with two numbers */
	movl	$-1, %eax
	lock xaddl %eax, word(%rip)
	cmpl	$1, %eax
	je	1b
	cmpl	$2, %eax
	je	1b
	movl	$0, %eax
	ret
copied:				/* and kept */
	movl	$-1, %eax
	lock xaddl %eax, word(%rip)
	cmpl	$1, %eax
	movl	%eax, %edx
	ret
beyond:				/* compared with what is below zero */
	movl	$-1, %eax
	lock xaddl %eax, word(%rip)
	cmpl	$-1, %eax
	je	add
	ret
wide:				/* with half of it */
	movl	$-1, %eax
	lock xaddl %eax, word(%rip)
	cmpw	$1, %ax
	je	add
	ret
parity:
	lock decl word(%rip)
	jp	add
	ret
parity2:
	movl	$-1, %eax
	lock xaddl %eax, word(%rip)
	cmpl	$1, %eax
	jp	add
	ret
saved:
	lock decl word(%rip)
	pushf
	pop	%rax
	ret
negative:			/* the overflow's check of Rust's Arc */
	lock incq quad(%rip)
	jle	add
	ret
bits:
	lock orl $4, word(%rip)
	cmpl	$1, %ecx
	ret
plain:				/* not locked */
	addl	$1, word(%rip)
	ret
exchange:
	xchgl	%eax, word(%rip)
	xorl	%eax, %eax
	ret
away:				/* where it goes isn't known */
	lock addl $1, word(%rip)
	jmp	*%rax
turns:				/* not is xor with ones, and sets no flags */
	lock notl word(%rip)
	je	add
	ret
	.size	main, . - main
	.bss
word:	.zero	8
quad:	.zero	8
	.section .note.GNU-stack,"",@progbits
