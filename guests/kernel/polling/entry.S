/* From the loader to C, from interrupts to C, from thread to thread. There is no
 * multiboot header: the loader goes by the file's program headers, and jumps to start. */

#define ABOVE 0xc0000000
#define PHYSICAL(symbol) ((symbol) - ABOVE)
#define PAGE 4096
#define PRESENT 3 /* writable */
#define CODE 8
#define DATA 16
#define CR0 0x80010000 /* paging, and write protection for the kernel too */

	.text
	.globl start
start:
	cli
	cld
#ifdef SEGMENTS /* until there are pages, segments take the distance off */
	lgdt PHYSICAL(low_table)
	mov $DATA, %eax
	mov %eax, %ds
	mov %eax, %ss
	ljmp $CODE, $2f
2:	mov $boot_stack + PAGE, %esp
	push kernel_pages
	pop %eax
#endif
	mov $PHYSICAL(kernel_pages), %eax
	mov %eax, %cr3
	mov %cr0, %eax
	or $CR0, %eax
	mov %eax, %cr0
	mov $1f, %eax
	jmp *%eax
1:	movl $0, kernel_pages /* the first megabytes are at the kernel's addresses only */
	mov %cr3, %eax
	mov %eax, %cr3
	mov $boot_stack + PAGE, %esp
	xor %ebp, %ebp
	call kernel_main

	.macro entry name vector
	.globl \name
\name:
	push $\vector
	jmp enter
	.endm
	entry timer_entry 0x20
	entry disk_entry 0x2e

	.globl fault_entry /* the processor has pushed an error code */
fault_entry:
	pusha
	mov %cr2, %eax
	push %eax
	call mend
	jmp 2f
enter:
	pusha
	push 32(%esp)
	call interrupt
2:	add $4, %esp
	popa
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
#ifdef SEGMENTS
low_segments: /* their base is 0x40000000 */
	.quad 0, 0x40cf9b000000ffff, 0x40cf93000000ffff
low_table:
	.word . - low_segments - 1
	.long PHYSICAL(low_segments)
#endif
	.balign PAGE
	.globl kernel_pages
kernel_pages:
	.long PHYSICAL(low_pages) + PRESENT
	.fill 767, 4, 0
	.long PHYSICAL(low_pages) + PRESENT
	.fill 255, 4, 0
low_pages:
	.set page, 0
	.rept 1024
	.long page + PRESENT
	.set page, page + PAGE
	.endr

	.bss
	.balign PAGE
boot_stack:
	.skip PAGE

	.section .note.GNU-stack, "", @progbits
