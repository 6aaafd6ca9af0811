# The i386 form of the interface (guests/pebbles/abi.md §10), checked by itself:
# a check that fails ends the task with its number as the status.

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
# Entered like _main(argc, argv, stack_high, stack_low) in cdecl.
_main:
	cmpl $0, (%esp)
	mov $101, %ebx
	jne fail
	cmpl $1, 4(%esp)
	mov $102, %ebx
	jne fail
	mov 8(%esp), %eax
	mov (%eax), %eax
	cmpl $0x73657567, (%eax)	# "gues"
	mov $103, %ebx
	jne fail
	cmpl $0xfffff000, 12(%esp)
	mov $104, %ebx
	jne fail
	cmpl $0xfffef000, 16(%esp)
	mov $105, %ebx
	jne fail
	lea 4(%esp), %eax
	test $15, %al
	mov $106, %ebx
	jnz fail

# A packet of 4-byte words: new_pages(0x20000000, 4096), twice.
	pushl $4096
	pushl $0x20000000
	mov %esp, %esi
	int $0x49
	test %eax, %eax
	mov $107, %ebx
	jnz fail
	int $0x49
	cmp $-4, %eax
	mov $108, %ebx
	jne fail
	cmp %esp, %esi
	mov $109, %ebx
	jne fail

# thread_fork: the child has the same stack pointer.
	mov %esp, %edi
	int $0x52
	test %eax, %eax
	jz child
	cmp $3, %eax
	mov $110, %ebx
	jne fail
wait:
	mov $-1, %esi
	int $0x45
	cmpl $1, done
	jne wait

# swexn: handler(arg, ureg) in cdecl; it goes on behind the fault.
	pushl $0			# newureg
	pushl $0x1234			# arg
	pushl $handler
	pushl $handler_stack_end
	mov %esp, %esi
	int $0x74
	test %eax, %eax
	mov $111, %ebx
	jnz fail
	mov $0x70000000, %ecx
	mov $5, %eax
	movb (%ecx), %al		# 2 bytes
	cmp $99, %eax
	mov $112, %ebx
	jne fail
	int $0x60

child:
	cmp %esp, %edi
	mov $120, %ebx
	jne fail
	mov $0x20001000, %esp
	push %eax
	movl $1, done
	int $0x60

# ureg: cause cr2 ds es fs gs edi esi ebp zero ebx edx ecx eax error eip ...
handler:
	cmpl $0, (%esp)
	mov $130, %ebx
	jne fail
	cmpl $0x1234, 4(%esp)
	mov $131, %ebx
	jne fail
	mov 8(%esp), %eax
	cmpl $14, (%eax)
	mov $132, %ebx
	jne fail
	cmpl $0x70000000, 4(%eax)
	mov $133, %ebx
	jne fail
	cmpl $5, 13*4(%eax)
	mov $134, %ebx
	jne fail
	addl $2, 15*4(%eax)
	movl $99, 13*4(%eax)
	pushl %eax			# newureg
	pushl $0
	pushl $0
	pushl $0
	mov %esp, %esi
	int $0x74
	mov $135, %ebx

fail:
	mov %ebx, %esi
	int $0x57

	.bss
	.balign 16
	.skip 4096
handler_stack_end:
done:
	.long 0
