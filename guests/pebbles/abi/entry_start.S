# The entry, in place of crt0.S: keeps what it finds in `found`, in the order of
# abi.md's ureg, for entry.c to look at.

	.section .note.GNU-stack, "", @progbits
	.section .rodata
	.globl __pebbles_abi
	.type __pebbles_abi, @object
	.balign 4
__pebbles_abi:
	.long 1
	.size __pebbles_abi, 4

	.text
	.globl _main
	.type _main, @function
_main:
	.cfi_startproc
#ifdef __i386__
	.cfi_undefined eip
	mov %eax, found+20
	mov 4(%esp), %eax
	mov %eax, found+0
	mov 8(%esp), %eax
	mov %eax, found+4
	mov 12(%esp), %eax
	mov %eax, found+8
	mov 16(%esp), %eax
	mov %eax, found+12
	mov %esp, found+16
	mov %ebx, found+24
	mov %ecx, found+28
	mov %edx, found+32
	mov %esi, found+36
	mov %edi, found+40
	mov %ebp, found+44
	pushf
	pop found+48
	mov (%esp), %eax
	mov %eax, found+52
	sub $12, %esp
	.cfi_adjust_cfa_offset 12
#else
	.cfi_undefined rip
	mov %rdi, found+0
	mov %rsi, found+8
	mov %rdx, found+16
	mov %rcx, found+24
	mov %rsp, found+32
	mov %rax, found+40
	mov %rbx, found+48
	mov %rbp, found+56
	mov %r8, found+64
	mov %r9, found+72
	mov %r10, found+80
	mov %r11, found+88
	mov %r12, found+96
	mov %r13, found+104
	mov %r14, found+112
	mov %r15, found+120
	pushf
	pop found+128
	mov (%rsp), %rax
	mov %rax, found+136
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
#endif
	call check
	hlt
	.cfi_endproc
	.size _main, . - _main
