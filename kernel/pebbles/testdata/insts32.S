# Instructions of i386, in forms that x86-64 hasn't and in those that compilers
# make, executed one by one: TestI386Instructions compares each with what package
# image says of it. Labels that begin with "f" are functions, for the stacks.

	.section .note.GNU-stack, "", @progbits
	.section .rodata
	.globl __pebbles_abi
	.type __pebbles_abi, @object
	.balign 4
__pebbles_abi:
	.long 1
	.size __pebbles_abi, 4

	.data
	.balign 16
word:	.long 0x12345678, 0x9abcdef0, 3, 4
bytes:	.ascii "abcdefgh"
	.skip 64

	.text
	.globl _main
	.type _main, @function
_main:
	mov $0x11223344, %eax
	mov $0x99aabbcc, %ebx
	mov $5, %ecx
	mov $7, %edx
	mov $9, %esi
	mov $11, %edi
	mov $13, %ebp
	mov word, %eax
	mov word+4, %ebp
	movb word, %ah
	movw word, %bx
	mov word(,%ecx,1), %dl
	movzbl word, %esi
	movsbl %ah, %edi
	movzwl %bx, %ebp
	movswl word, %eax
	lea 4(%eax,%ecx,4), %edx
	lea 4(%ebx), %bp
	xchg %eax, %ebx
	xchg %ax, %cx
	xchg %ah, %bl
	xchg %ebx, %ebx
	bswap %eax
	cwtl
	cbtw
	cltd
	cwtd
	add %ecx, %eax
	add $1, %eax
	adc %ecx, %edx
	sbb %eax, %eax
	sub $3, %esi
	and $0xff, %edx
	or %edx, %ebp
	xor %edi, %edi
	xor %al, %al
	cmp %eax, word
	test %ebx, %ebx
	neg %eax
	not %ebx
	inc %eax			# one byte here, a prefix in 64-bit code
	dec %edi
	incb %dl
	mov $3, %eax
	mov $4, %ecx
	mul %ecx
	imul %ecx
	imul %ebx, %eax
	imul $3, %ebx, %edx
	mov $100, %eax
	xor %edx, %edx
	mov $7, %ecx
	div %ecx
	mov $100, %eax
	cltd
	idiv %ecx
	mov $100, %ax
	divb %cl
	shl $3, %eax
	shl %cl, %ebx
	sar %esi
	shr $31, %edi
	rol $1, %eax
	rcr $1, %edx
	shld $4, %eax, %ebx
	shrd %cl, %eax, %ebx
	bt %ecx, %eax
	bts $3, %ebx
	bsf %eax, %edx
	bsr %eax, %esi
	sete %al
	setg %bh
	cmovne %ecx, %edx
	cmovb word, %ebp
	lock cmpxchg %ecx, word
	lock xadd %eax, word
	lock incl word+8
	lock cmpxchg8b word
	xchg %eax, word
	push %eax
	push $5
	pushl word
	pop %edi
	pop %eax
	pop %ecx
	pusha
	pushf
	lea 4(%esp), %esp
	popa
	pushw %ax
	popw %bx
	stc
	clc
	cmc
	mov $bytes, %esi
	mov $bytes+16, %edi
	mov $4, %ecx
	movsb
	movsl
	rep movsb
	mov $3, %ecx
	rep stosl
	lodsl
	mov $bytes, %edi
	mov $bytes, %esi
	mov $3, %ecx
	repe cmpsb
	mov $bytes, %edi
	mov $5, %ecx
	mov $'c', %al
	repne scasb
	mov $2, %ecx
1:	nop
	loop 1b
	jecxz 2f
	nop
2:	jmp 3f
	nop
3:	js 4f
	jns 4f
4:	mov $5f, %eax
	jmp *%eax
	nop
5:	nopw 0(%eax,%eax)
	pause
	endbr32

after:
	mov $fsum, %ebx
	push $3
	push $2
	push $1
	call *%ebx
	add $12, %esp
	call fall
	call fleaf
	int $0x60
	.size _main, . - _main

# Frames of each kind, without call-frame information.
	.type fsum, @function
fsum:
	push %ebp
	mov %esp, %ebp
	sub $8, %esp
	push 8(%ebp)
	call fcallee
	mov %eax, -4(%ebp)
	leave
	ret
	.size fsum, . - fsum

	.type fcallee, @function
fcallee:
	push %ebx
	mov 8(%esp), %eax
	mov 8(%esp), %ebx
	add %ebx, %eax
	pop %ebx
	ret
	.size fcallee, . - fcallee

	.type fall, @function
fall:
	pusha
	pushf
	lea 4(%esp), %esp
	push %esi
	call fleaf
	pop %esi
	popa
	ret
	.size fall, . - fall

	.type fleaf, @function
fleaf:
	sub $12, %esp
	movl $1, (%esp)
	lea 12(%esp), %esp
	ret
	.size fleaf, . - fleaf
