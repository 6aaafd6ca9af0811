/* A program of its own whose functions return a flag: FlagsCross. */
	.globl	main
	.type	main, @function
main:
	call	asks
	jc	1f
	xorl	%eax, %eax
1:	ret
	.size	main, . - main
	.type	asks, @function
asks:
	stc
	ret
	.size	asks, . - asks
	.section .note.GNU-stack,"",@progbits
