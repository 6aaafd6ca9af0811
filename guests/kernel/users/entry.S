/* From the loader to C, from interrupts to C, from thread to thread, and into user
 * mode. The kernel is linked ABOVE where it is loaded, and gets there by pages of
 * 4 MiB; the APICs' registers are in one of those, at their own addresses. */

#define ABOVE 0x80000000
#define PHYSICAL(symbol) ((symbol) - ABOVE)
#define MULTIBOOT_MAGIC 0x1badb002
#define HAS_COMMAND_LINE (1 << 2)
#define COMMAND_LINE 16
#define COMMAND_LINE_ROOM 128
#define PAGE 4096
#define LARGE 0x83 /* present, writable */
#define CR0 0x80010000 /* paging, and write protection for the kernel too */
#define CR4_LARGE_PAGES 0x10
#define KERNEL_DATA 16

	.section .multiboot, "a"
	.balign 4
header:
	.long MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC

	.text
	.globl start
start = PHYSICAL(begin)
begin:
	cli
	cld
	testl $HAS_COMMAND_LINE, (%ebx)
	jz 2f
	mov COMMAND_LINE(%ebx), %esi
	mov $PHYSICAL(command_line), %edi
	mov $COMMAND_LINE_ROOM - 1, %ecx
1:	lodsb
	test %al, %al
	jz 2f
	stosb
	loop 1b
2:	mov %cr4, %eax
	or $CR4_LARGE_PAGES, %eax
	mov %eax, %cr4
	mov $PHYSICAL(kernel_pages), %eax
	mov %eax, %cr3
	mov %cr0, %eax
	or $CR0, %eax
	mov %eax, %cr0
	mov $boot_stack + PAGE, %esp
	mov $kernel_main, %eax
	jmp *%eax

	/* Interrupts: the processor has changed to the process's stack in the kernel, if
	 * it was in user mode. */
	.macro entry name vector
	.globl \name
\name:
	push $\vector
	jmp enter
	.endm
	entry timer_entry 0x40
	entry call_entry 0x80

enter:
	push %ds
	push %es
	pusha
	mov $KERNEL_DATA, %eax
	mov %eax, %ds
	mov %eax, %es
	cld
	push %esp
	call trap
	add $4, %esp
	.globl leave_kernel
leave_kernel:
	popa
	pop %es
	pop %ds
	add $4, %esp
	iret

	/* void switch_stacks(void **from, void *to) */
	.globl switch_stacks
switch_stacks:
	mov 4(%esp), %eax
	mov 8(%esp), %edx
	push %ebp
	push %ebx
	push %esi
	push %edi
	mov %esp, (%eax)
	mov %edx, %esp
	pop %edi
	pop %esi
	pop %ebx
	pop %ebp
	ret

	.data
	.globl program, program_end
program:
	.incbin PROGRAM
program_end:

	.balign PAGE
	.globl kernel_pages
kernel_pages:
	.long LARGE
	.fill 511, 4, 0
	.long LARGE
	.fill 506, 4, 0
	.long 0xfec00000 + LARGE
	.fill 4, 4, 0

	.bss
	.globl command_line
command_line:
	.skip COMMAND_LINE_ROOM
	.balign PAGE
boot_stack:
	.skip PAGE

	.section .note.GNU-stack, "", @progbits
