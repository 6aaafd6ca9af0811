	.section .note.GNU-stack, "", @progbits
	.text

# long raw_print(void *packet)
	.globl raw_print
	.type raw_print, @function
raw_print:
#ifdef __i386__
	push %esi
	mov 8(%esp), %esi
	int $0x4e
	pop %esi
#else
	mov %rdi, %rsi
	int $0x4e
#endif
	ret
	.size raw_print, . - raw_print
