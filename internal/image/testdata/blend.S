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
word:	.zero	4
	.section .note.GNU-stack,"",@progbits
