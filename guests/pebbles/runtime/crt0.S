# Where a Pebbles task begins: _main(argc, argv, stack_high, stack_low) is
# entered like a C function, its return address a null.

	.section .note.GNU-stack, "", @progbits

# Both marks tell landgo what the executable runs on. The note stays when the
# symbols are stripped.
	.section .rodata
	.globl __pebbles_abi
	.type __pebbles_abi, @object
	.balign 4
__pebbles_abi:
	.long 1			# version of the interface (abi.md)
	.size __pebbles_abi, 4

	.section .note.pebbles, "a", @note
	.balign 4
	.long 8, 4, 1		# sizes of name and description, type
	.asciz "Pebbles"
	.long 1

	.text
	.globl _main
	.type _main, @function
_main:
	.cfi_startproc
#ifdef __i386__
	.cfi_undefined eip
	sub $12, %esp		# two arguments' room, and alignment
	.cfi_adjust_cfa_offset 12
	mov 24(%esp), %eax
	mov %eax, (%esp)
	mov 28(%esp), %eax
	mov %eax, 4(%esp)
	call install_autostack
	mov 16(%esp), %eax
	mov %eax, (%esp)
	mov 20(%esp), %eax
	mov %eax, 4(%esp)
	call main
	mov %eax, (%esp)
#else
	.cfi_undefined rip
	push %rdi
	.cfi_adjust_cfa_offset 8
	push %rsi
	.cfi_adjust_cfa_offset 8
	push %rdx		# keeps the stack aligned for the call
	.cfi_adjust_cfa_offset 8
	mov %rdx, %rdi
	mov %rcx, %rsi
	call install_autostack
	pop %rdx
	.cfi_adjust_cfa_offset -8
	pop %rsi
	.cfi_adjust_cfa_offset -8
	pop %rdi
	.cfi_adjust_cfa_offset -8
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	call main
	mov %eax, %edi
#endif
	call exit
	hlt			# exit doesn't return
	.cfi_endproc
	.size _main, . - _main
