	.section .note.GNU-stack, "", @progbits
	.text

# long raw_print(void *packet)
	.globl raw_print
	.type raw_print, @function
raw_print:
	mov %rdi, %rsi
	int $0x4e
	ret
	.size raw_print, . - raw_print
