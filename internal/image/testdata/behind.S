/* Behind a call that never comes back is code to which a jump leads, with flags: FlagsCross. Nor
   does a jump to nowhere read any: a function that isn't there is at 0. */
	.globl	main
	.type	main, @function
main:
	cmpl	$1, %edi
	jmp	2f
1:	call	quits
2:	jc	1b
	call	word
	shrq	$32, %rax
	sete	%al
	xorl	%eax, %eax
	ret
	.size	main, . - main
	.type	quits, @function
quits:
	pushq	%rax
	call	abort
	.size	quits, . - quits
	.weak	absent
	.type	leaves, @function
leaves:
	jmp	absent
	.size	leaves, . - leaves
	.type	word, @function
word:
	xorl	%eax, %eax
	ret
	.size	word, . - word
	.section .note.GNU-stack,"",@progbits
