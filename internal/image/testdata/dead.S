/* Places at which some registers are dead: each label's test is in
 * dead_test.go. The labels aren't functions, so that paths lead through them. */
	.globl	main
	.type	main, @function
main:
	nop
overwritten:			/* rax and the flags, whatever it finds */
	movl	word(%rip), %eax
	testl	%eax, %eax
	jne	overwritten
	ret
later:				/* rdx only after a branch, on both of its ways */
	movl	word(%rip), %eax
	testl	%eax, %eax
	je	1f
	movl	$1, %edx
	jmp	later
1:	movl	$2, %edx
	ret
oneway:				/* rdx on one way only: the other returns it */
	movl	word(%rip), %eax
	testl	%eax, %eax
	je	1f
	movl	$1, %edx
	jmp	oneway
1:	ret
partly:				/* a part of rax lives on, and the carry */
	movb	$1, %al
	incl	%ecx
	ret
called:				/* what a function looks at isn't known */
	call	other
	xorl	%eax, %eax
	ret
tail:				/* nor what one does that is jumped to */
	jmp	other
around:				/* an endless loop looks at rcx only */
	cmpl	%ecx, word(%rip)
	jmp	around
unknown:
	fldz
	xorl	%eax, %eax
	ret
slotted:			/* a call by a word that holds an address, and a jump */
	call	*slot(%rip)
	xorl	%eax, %eax
	ret
slottail:
	jmp	*slot(%rip)
trap:				/* nothing comes after it */
	ud2
	.size	main, .-main

	.type	other, @function
other:
	xorl	%eax, %eax
	ret
	.size	other, .-other

	.type	saved, @function
saved:				/* what is saved is looked at, unless landgo carries that out */
	call	saver
	xorl	%ebx, %ebx
	hlt
	.size	saved, .-saved
	.type	saver, @function
saver:
	push	%rbx
	pop	%rbx
	ret
	.size	saver, .-saver

	.type	savedTwice, @function
savedTwice:			/* two functions save it, one calls the other */
	call	saver
	call	savesToo
	xorl	%ebx, %ebx
	hlt
	.size	savedTwice, .-savedTwice
	.type	savesToo, @function
savesToo:
	push	%rbx
	call	saver
	xorl	%ebx, %ebx
	pop	%rbx
	ret
	.size	savesToo, .-savesToo
	.type	savedUsed, @function
savedUsed:			/* it is used when it is back */
	call	saver
	mov	%ebx, word(%rip)
	hlt
	.size	savedUsed, .-savedUsed
	.type	savedAfter, @function
savedAfter:			/* or in the function that saves it */
	call	usesToo
	xorl	%ebx, %ebx
	hlt
	.size	savedAfter, .-savedAfter
	.type	usesToo, @function
usesToo:
	push	%rbx
	incl	%ebx
	pop	%rbx
	ret
	.size	usesToo, .-usesToo
	.type	stopped, @function
stopped:			/* what follows a call that doesn't return is nothing to it */
	call	never
	mov	%ebx, word(%rip)
	.size	stopped, .-stopped
	.type	never, @function
never:
	xorl	%ebx, %ebx
1:	hlt
	jmp	1b
	.size	never, .-never
	.type	asked, @function
asked:				/* a call of the kernel */
	syscall
	hlt
	.size	asked, .-asked
	.type	thunk, @function
thunk:				/* a return goes elsewhere than behind its call */
	call	1f
0:	pause
	jmp	0b
1:	mov	%rax, (%rsp)
	ret
	.size	thunk, .-thunk
	.type	skips, @function
skips:
	call	1f
0:	pause
	jmp	0b
1:	lea	8(%rsp), %rsp
	ret
	.size	skips, .-skips
	.type	framed, @function
framed:
	call	1f
0:	pause
	jmp	0b
1:	push	%rbp
	mov	%rsp, %rbp
	sub	$64, %rsp
	mov	%rax, 8(%rbp)
	leave
	ret
	.size	framed, .-framed
	.type	pointed, @function
pointed:
	call	1f
0:	pause
	jmp	0b
1:	mov	%rsp, %rcx
	mov	%rax, (%rcx)
	ret
	.size	pointed, .-pointed
	.type	pushed, @function
pushed:
	push	%rax
	ret
	.size	pushed, .-pushed
	.type	written, @function
written:
	mov	%rax, (%rsp)
	ret
	.size	written, .-written
	.type	balanced, @function
balanced:			/* here it goes behind it */
	call	1f
	xorl	%ebx, %ebx
	hlt
1:	push	%rbp
	mov	%rsp, %rbp
	sub	$64, %rsp
	mov	%rax, -8(%rbp)
	and	$-32, %rsp
	mov	%rax, (%rsp)
	call	2f
	leave
	ret
2:	push	%rax
	sub	$16, %rsp
	mov	%rax, 8(%rsp)
	add	$16, %rsp
	pop	%rax
	ret
	.size	balanced, .-balanced

	.data
word:	.long	0
slot:	.quad	0
	.section .note.GNU-stack,"",@progbits
