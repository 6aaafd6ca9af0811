/* From the loader to kernel_main. A multiboot loader starts us in 32-bit
 * protected mode without paging, with the address of its information in ebx.
 *
 * The page tables are data, nothing has to build them: the first 2 MiB, each
 * page at its own address, but for the first page, where null pointers point.
 *
 * Built with ABOVE, the kernel is linked that far above where the loader puts it. It
 * begins where it isn't linked, maps itself at both places, and then at the upper one
 * only. */

#ifndef ABOVE
#define ABOVE 0
#endif
#define PHYSICAL(symbol) (symbol - ABOVE)

#define MULTIBOOT_MAGIC 0x1badb002
/* The header says where to load what: so a 64-bit ELF file can be loaded too. */
#define MULTIBOOT_ADDRESSES (1 << 16)
#define HAS_COMMAND_LINE (1 << 2)
#define COMMAND_LINE 16
#define COMMAND_LINE_ROOM 128

#define PAGE 4096
#define PRESENT_WRITABLE 3
#define CR0_PAGING (1 << 31)
#define CR0_WRITE_PROTECT (1 << 16)
#define CR4_WIDE_ENTRIES (1 << 5)
#define EXTENDED_FEATURES 0xc0000080
#define LONG_MODE (1 << 8)

#define CODE 8
#define DATA 16

	.section .multiboot, "a"
	.balign 4
header:
	.long MULTIBOOT_MAGIC
	.long MULTIBOOT_ADDRESSES
	.long -(MULTIBOOT_MAGIC + MULTIBOOT_ADDRESSES)
	.long PHYSICAL(header), PHYSICAL(load_begin), PHYSICAL(load_end), PHYSICAL(kernel_end), PHYSICAL(start)

	.text
	.code32
	.globl start
start:
	cli
	cld
	mov $PHYSICAL(main_page) + PAGE - 16, %esp

	/* The loader's copy may lie where we shall have pages. */
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
2:
	lgdt PHYSICAL(descriptors)
#ifdef __x86_64__
	mov %cr4, %eax
	or $CR4_WIDE_ENTRIES, %eax
	mov %eax, %cr4
	mov $EXTENDED_FEATURES, %ecx
	rdmsr
	or $LONG_MODE, %eax
	wrmsr
#endif
	mov $PHYSICAL(top_table), %eax
	mov %eax, %cr3
	mov %cr0, %eax
	or $CR0_PAGING | CR0_WRITE_PROTECT, %eax
	mov %eax, %cr0
	ljmp $CODE, $PHYSICAL(ready)
#ifdef __x86_64__
	.code64
#endif
ready:
	mov $DATA, %eax
	mov %eax, %ds
	mov %eax, %es
	mov %eax, %ss
	mov %eax, %fs
	mov %eax, %gs
#if ABOVE
#ifdef __x86_64__
	mov $upper, %rax
	jmp *%rax
upper:
	mov $main_page + PAGE - 16, %rsp
	lgdt upper_descriptors
	movq $0, top_table
	mov %cr3, %rax
	mov %rax, %cr3
#else
	mov $upper, %eax
	jmp *%eax
upper:
	mov $main_page + PAGE - 16, %esp
	lgdt upper_descriptors
	movl $0, top_table
	mov %cr3, %eax
	mov %eax, %cr3
#endif
#endif
	xor %ebp, %ebp
	call kernel_main
	ud2

	.data
	.balign 8
segments:
	.quad 0
#ifdef __x86_64__
	.quad 0x00209a0000000000
#else
	.quad 0x00cf9a000000ffff
#endif
	.quad 0x00cf92000000ffff
descriptors:
	.word . - segments - 1
	.long PHYSICAL(segments)
#if ABOVE
upper_descriptors:
	.word descriptors - segments - 1
#ifdef __x86_64__
	.quad segments
#else
	.long segments
#endif
#endif

	.balign PAGE
#ifdef __x86_64__
	.macro entry value
	.quad \value
	.endm
top_table:
	.quad PHYSICAL(table_3) + PRESENT_WRITABLE
	.fill 510, 8, 0
#if ABOVE
	.quad PHYSICAL(table_3) + PRESENT_WRITABLE
#else
	.quad 0
#endif
table_3:
	.quad PHYSICAL(table_2) + PRESENT_WRITABLE
	.fill 509, 8, 0
#if ABOVE
	.quad PHYSICAL(table_2) + PRESENT_WRITABLE
#else
	.quad 0
#endif
	.quad 0
table_2:
	.quad PHYSICAL(table_1) + PRESENT_WRITABLE
	.fill 511, 8, 0
#else
	.macro entry value
	.long \value
	.endm
top_table:
	.long PHYSICAL(table_1) + PRESENT_WRITABLE
#if ABOVE
	.fill 767, 4, 0
	.long PHYSICAL(table_1) + PRESENT_WRITABLE
	.fill 255, 4, 0
#else
	.fill 1023, 4, 0
#endif
#endif
table_1:
	entry 0
	.set .Lpage, PAGE
	.rept 511
	entry .Lpage + PRESENT_WRITABLE
	.set .Lpage, .Lpage + PAGE
	.endr
	.balign PAGE

	.bss
	.globl command_line
command_line:
	.skip COMMAND_LINE_ROOM
	/* The first thread's page: thread.c. */
	.balign PAGE
main_page:
	.skip PAGE

	.section .note.GNU-stack, "", @progbits
