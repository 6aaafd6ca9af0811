/* What insts.S can't have: opcodes and forms of 32-bit code only, and variants of
 * which it has one. Run like it. */
	.globl	main
	.type	main, @function
main:
	pushal
	pushl	$0x12345678
	popl	%ebx
	pushl	%ebx
	popl	word
	pushl	word
	popl	%edx
	pushfl
	popl	%ecx
	pushfw
	popw	%cx
	movl	$5, %ecx
	incl	%eax
	incw	%ax
	decl	%esi
	decw	%si
	.irp op, inc, dec, push
	\op\()l	%edi
	.endr
	popl	%edi
	.irp op, jcxz, jecxz, loop, loope, loopne
	\op	1f
	nop
1:
	.endr
	.irp op, add, sub, adc, sbb, and, or, xor, cmp, test
	\op\()l	%eax, %ebx
	\op\()w	%ax, %bx
	\op\()b	%al, %bh
	\op\()l	$0x1234567, %eax
	\op\()l	%edx, %edx
	\op\()l	%ebx, word
	.endr
	.irp op, shl, shr, sar, rol, ror, rcl, rcr
	\op\()l	$3, %eax
	\op\()w	$17, %ax
	\op\()b	$9, %al
	\op\()l	%cl, %eax
	\op\()w	%cl, %ax
	\op\()b	%cl, %al
	\op\()l	%ebx
	\op\()l	$3, word
	.endr
	.irp op, shld, shrd
	\op\()l	$1, %eax, %ebx
	\op\()w	$5, %ax, %bx
	\op\()w	$17, %ax, %bx
	\op\()w	%cl, %ax, %bx
	.endr
	.irp op, bt, bts, btr, btc
	\op\()l	$5, word
	\op\()l	%eax, %ebx
	.endr
	movl	$7, %ebx
	.irp op, mul, imul
	\op\()l	%ebx
	\op\()w	%bx
	\op\()b	%bl
	\op\()l	word
	.endr
	imull	%ebx, %eax
	imull	$77777, %ebx, %eax
	imulw	%bx, %ax
	.irp op, div, idiv
	movl	$0, %edx
	movl	$99, %eax
	\op\()l	%ebx
	.endr
	cbtw
	cwtl
	cwtd
	cltd
	bswapl	%eax
	.irp op, movs, stos, lods, scas, cmps
	.irp size, b, w, l
	movl	$word, %esi
	movl	$word + 8, %edi
	\op\size
	movl	$2, %ecx
	rep \op\size
	rep \op\size
	.endr
	.endr
	cmpxchg8b word
	cmpxchgl %ecx, word
	lock xaddl %eax, word
	xchgl	%eax, word
	prefetcht0 word
	prefetcht1 word
	prefetcht2 word
	movl	$1f, %eax
	jmp	*%eax
1:	call	1f
1:	popl	%eax
	enter	$8, $0
	leave
	popal
	ret
	.size	main, . - main

	.data
	.balign	16
word:	.long	0x89abcdef, 0x1234567, 0x76543210, 0xfedcba98
	.long	0, 0, 0, 0
	.section .note.GNU-stack, "", @progbits
