/* Every opcode of the table of effects, in its forms, once: executed one by
 * one, each compared with what the table says. Registers hold whatever the
 * instructions before left in them, so only rip and rsp address memory. */
	.globl	main
	.type	main, @function
main:
	pushq	%rbx
	pushq	%rbp
	movq	%rsp, saved(%rip)
	movabsq	$0x1122334455667788, %rax
	movabsq	$0x99aabbccddeeff01, %rbx
	movl	$3, %ecx
	movq	%rax, %rdx
	movw	$9, %dx
	movb	$7, %dh
	movb	$7, %sil
	movb	word(%rip), %al
	movl	word(%rip), %r8d
	movq	word(%rip), %r9
	movzbl	%al, %esi
	movzbw	%al, %di
	movzwl	%ax, %r10d
	movzbl	%bh, %ebp
	movsbl	%al, %esi
	movswq	%ax, %rdi
	movslq	%eax, %r12
	leaq	8(%rax,%rbx,2), %r13
	leal	8(%rax), %r14d
	leaw	8(%rax), %r15w
	leaq	word(%rip), %r15
	xchgq	%rax, %rbx
	xchgl	%eax, %ebx
	xchgw	%ax, %bx
	xchgb	%al, %bh
	bswapl	%eax
	bswapq	%rbx
	cbtw
	cwtl
	cltq
	cwtd
	cltd
	cqto

	.irp op, add, sub, adc, sbb, and, or, xor, cmp, test
	\op\()q	%rax, %rbx
	\op\()l	%eax, %ebx
	\op\()w	%ax, %bx
	\op\()b	%al, %bh
	\op\()q	$77, %rdx
	\op\()l	$7, %edx
	\op\()q	%r9, %r9
	\op\()l	%r9d, %r9d
	\op\()w	%r9w, %r9w
	\op\()b	%r9b, %r9b
	.endr
	.irp op, add, sub, adc, sbb, and, or, xor, cmp
	\op\()l	word(%rip), %esi
	.endr

	.irp op, neg, not, inc, dec
	\op\()q	%rax
	\op\()l	%ebx
	\op\()w	%dx
	\op\()b	%bh
	.endr

	movl	$1, %ecx
	.irp op, shl, shr, sar, rol, ror, rcl, rcr
	\op\()q	$3, %rax
	\op\()l	$3, %ebx
	\op\()w	$3, %dx
	\op\()b	$3, %bh
	\op\()q	$33, %rsi
	\op\()q	$32, %rsi
	\op\()l	$0, %ebx
	\op\()q	%cl, %rax
	\op\()l	%cl, %ebx
	\op\()q	%rax
	.endr
	movl	$0, %ecx
	.irp op, shl, shr, sar, rol, ror, rcl, rcr
	\op\()q	%cl, %rax
	\op\()l	%cl, %ebx
	.endr
	.irp op, shld, shrd
	\op\()q	$5, %rax, %rbx
	\op\()q	%cl, %rax, %rbx
	\op\()l	$5, %eax, %ebx
	.endr

	.irp op, bt, bts, btr, btc
	\op\()q	%rax, %rbx
	\op\()l	$5, %ebx
	\op\()w	$5, %bx
	.endr
	.irp op, bsf, bsr, tzcnt, lzcnt, popcnt
	\op\()q	%rax, %rbx
	\op\()l	%esi, %edi
	\op\()w	%si, %di
	\op\()l	zero(%rip), %r8d
	.endr
	crc32l	%eax, %ebx
	crc32q	%rax, %rbx

	movl	$5, %ebx
	movl	$1, %edx
	movl	$9, %eax
	mulq	%rbx
	mull	%ebx
	mulw	%bx
	mulb	%bl
	mulb	%bh
	mull	word(%rip)
	mulb	word(%rip)
	imulq	%rbx
	imull	%ebx
	imulw	%bx
	imulb	%bl
	imulq	%rbx, %rsi
	imull	%ebx, %esi
	imulw	%bx, %si
	imulq	$7, %rbx, %rdi
	imull	$7, %ebx, %edi
	imulw	$7, %bx, %di
	imull	$7, %edi, %edi
	imull	$7, word(%rip), %edi
	.irp op, div, idiv
	movl	$0, %edx
	movl	$99, %eax
	\op\()q	%rbx
	movl	$0, %edx
	\op\()l	%ebx
	movl	$0, %edx
	\op\()w	%bx
	movl	$99, %eax
	\op\()b	%bl
	movl	$0, %edx
	\op\()l	word(%rip)
	.endr

	movl	$5, %eax
	movl	$5, %ebx
	cmpxchgl %ecx, %ebx
	cmpxchgl %ecx, %ebx
	cmpxchgq %rcx, %rbx
	cmpxchgb %cl, %bl
	xaddq	%rax, %rbx
	xaddl	%eax, %ebx
	xaddb	%al, %bh

	.irp cc, a, ae, b, be, e, g, ge, l, le, ne, no, np, ns, o, p, s
	cmpl	%eax, %ebx
	set\cc	%al
	set\cc	%bh
	cmov\cc\()q %rsi, %rdi
	cmov\cc\()l %esi, %r8d
	cmov\cc\()w %si, %r9w
	j\cc	1f
	nop
1:
	.endr
	clc
	stc
	cmc
	movl	$2, %ecx
	.irp op, jrcxz, jecxz, loop, loope, loopne
	\op	1f
	nop
1:
	.endr
	leaq	1f(%rip), %rax
	jmp	*%rax
1:	jmp	1f
1:
	leaq	word(%rip), %rsi
	leaq	word(%rip), %rdi
	.irp op, lods, scas, cmps
	.irp size, b, w, l, q
	leaq	word(%rip), %rsi
	leaq	word(%rip), %rdi
	\op\size
	.endr
	.endr
	.irp op, lodsb, cmpsb, scasl, movsb, stosl
	leaq	word(%rip), %rsi
	leaq	word(%rip), %rdi
	movl	$2, %ecx
	rep \op
	rep \op
	rep \op
	.endr
	leaq	word(%rip), %rsi
	leaq	word(%rip), %rdi
	movsb
	stosw
	.irp op, add, sub, and, or, xor, adc, sbb, xadd, cmpxchg, xchg, mov
	\op\()l	%eax, word(%rip)
	.endr
	movnti	%rax, word(%rip)
	movbel	word(%rip), %eax
	movbel	%eax, word(%rip)
	incl	word(%rip)
	notl	word(%rip)
	setc	word(%rip)
	btsl	$3, word(%rip)
	cmpxchg8b word(%rip)
	cmpxchg16b word(%rip)

	movd	%eax, %xmm0
	movq	%rbx, %xmm1
	movd	%xmm0, %esi
	movq	%xmm1, %rdi
	pmovmskb %xmm0, %eax
	movmskpd %xmm1, %ebx
	movdqa	word(%rip), %xmm2
	movups	%xmm2, word(%rip)
	cvtsi2sdq %rdi, %xmm3
	cvttsd2siq %xmm3, %rsi
	cvttsd2sil %xmm3, %edi
	pxor	%xmm0, %xmm0
	comisd	%xmm0, %xmm3
	ucomiss	%xmm1, %xmm2
	psrldq	$4, %xmm2
	pshufd	$1, %xmm2, %xmm3

	endbr64
	rdsspq	%rax
	nop
	xchgw	%ax, %ax
	nopw	8(%rax,%rax,1)
	pause
	lfence
	mfence
	sfence
	prefetcht0 word(%rip)
	prefetchnta word(%rip)
	movl	$0, %eax
	movl	$0, %ecx
	cpuid
	pushfq
	popq	%rbx
	pushq	$5
	popq	%r9
	call	1f
1:	popq	%rax
	pushq	%rbp
	movq	%rsp, %rbp
	leave
	leaq	1f(%rip), %rax
	pushq	%rax
	notrack jmp *%rax
1:	addq	$8, %rsp
	leaq	1f(%rip), %rax
	pushq	%rax
	rep ret
1:	movq	saved(%rip), %rsp
	popq	%rbp
	popq	%rbx
	xorl	%eax, %eax
	ret
	.size	main, . - main

	.data
	.balign	16
word:	.quad	0x0123456789abcdef
	.quad	0xfedcba9876543210
	.quad	0, 0, 0, 0
zero:	.quad	0
saved:	.quad	0
	.section .note.GNU-stack, "", @progbits
