/* The smallest kernel with threads: where it begins, its timer's interrupt, and its
 * switch of stacks. */
.section .multiboot, "a"
.long 0x1BADB002, 0, -0x1BADB002
.text
.globl _start, timer_entry, fault_entry, switch_stacks
_start:
	cli
	mov $boot_stack + 16384, %esp
	call kernel
1:	hlt
	jmp 1b
timer_entry:
	pusha
	call timer
	popa
	iret
fault_entry:
	call fault
switch_stacks: /* (unsigned **save, unsigned *to) */
	mov 4(%esp), %eax
	mov 8(%esp), %edx
	push %ebx
	push %esi
	push %edi
	push %ebp
	mov %esp, (%eax)
	mov %edx, %esp
	pop %ebp
	pop %edi
	pop %esi
	pop %ebx
	ret
.bss
.align 16
boot_stack:
	.skip 16384
.section .note.GNU-stack, "", @progbits
