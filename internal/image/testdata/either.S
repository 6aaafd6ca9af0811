/* Results of functions: each label's test is in either_test.go. */
	.globl	main
	.type	main, @function
main:
	nop
dead:				/* it is overwritten */
	xorl	%eax, %eax
	ret
chain:				/* compared with each number */
	cmpl	$-1, %eax
	je	1f
	testl	%eax, %eax
	jne	2f
1:	xorl	%eax, %eax
	ret
2:	hlt
sum:				/* both are in a range */
	leal	1(%rax), %edx
	cmpl	$1, %edx
	ja	2b
	xorl	%edx, %edx
	xorl	%eax, %eax
	ret
added:
	addl	$1, %eax
	cmpl	$1, %eax
	ja	2b
	movl	$0, %eax
	xorl	%ecx, %ecx
	ret
signed:				/* neither is above zero */
	testl	%eax, %eax
	jg	2b
	movl	$0, %eax
	xorl	%ecx, %ecx
	ret
returned:			/* the caller has it */
	testl	%eax, %eax
	jg	2b
	ret
copied:				/* read behind where they meet */
	movl	%eax, %ecx
	testl	%eax, %eax
	jg	2b
	xorl	%eax, %eax
	movl	%ecx, word(%rip)
	ret
told:				/* one of them stores */
	testl	%eax, %eax
	je	1f
	movl	$1, word(%rip)
1:	xorl	%eax, %eax
	ret
flags:				/* they are read where they meet */
	testl	%eax, %eax
	jg	2b
	movl	$0, %eax
	sete	%cl
	ret
number:				/* one way has another number */
	movl	$7, %ecx
	testl	%eax, %eax
	je	1f
	movl	$8, %ecx
1:	xorl	%eax, %eax
	movl	%ecx, word(%rip)
	ret
loop:				/* for ever */
	testl	%eax, %eax
	jne	loop
	ret
	.data
word:	.long	0
	.section	.note.GNU-stack, "", @progbits
