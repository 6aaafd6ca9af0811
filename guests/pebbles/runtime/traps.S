# The calls of the trap interface, for C. A call of one argument takes it in
# %rsi; one of more takes in %rsi the address of a packet of words. No call
# changes any register but %rax. On x86-64 nothing has to be saved: a packet lies
# in the red zone's place below the stack pointer, where no other code writes. On
# i386 the arguments lie on the stack as a packet does.

	.section .note.GNU-stack, "", @progbits
	.text

	.macro entry name
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm

	.macro finish name
	.cfi_endproc
	.size \name, . - \name
	.endm

	.macro call0 name, vector
	entry \name
	int $\vector
	ret
	finish \name
	.endm

	.macro call1 name, vector
	entry \name
#ifdef __i386__
	push %esi
	.cfi_adjust_cfa_offset 4
	.cfi_offset esi, -8
	mov 8(%esp), %esi
	int $\vector
	pop %esi
	.cfi_adjust_cfa_offset -4
	ret
#else
	mov %rdi, %rsi
	int $\vector
	ret
#endif
	finish \name
	.endm

	.macro call2 name, vector
	entry \name
#ifdef __i386__
	push %esi
	.cfi_adjust_cfa_offset 4
	.cfi_offset esi, -8
	lea 8(%esp), %esi
	int $\vector
	pop %esi
	.cfi_adjust_cfa_offset -4
	ret
#else
	mov %rdi, -16(%rsp)
	mov %rsi, -8(%rsp)
	lea -16(%rsp), %rsi
	int $\vector
	ret
#endif
	finish \name
	.endm

	.macro call4 name, vector
	entry \name
#ifdef __i386__
	push %esi
	.cfi_adjust_cfa_offset 4
	.cfi_offset esi, -8
	lea 8(%esp), %esi
	int $\vector
	pop %esi
	.cfi_adjust_cfa_offset -4
	ret
#else
	mov %rdi, -32(%rsp)
	mov %rsi, -24(%rsp)
	mov %rdx, -16(%rsp)
	mov %rcx, -8(%rsp)
	lea -32(%rsp), %rsi
	int $\vector
	ret
#endif
	finish \name
	.endm

	call0 fork, 0x41
	call2 exec, 0x42
	call1 wait, 0x44
	call1 yield, 0x45
	call1 deschedule, 0x46
	call1 make_runnable, 0x47
	call0 gettid, 0x48
	call2 new_pages, 0x49
	call1 remove_pages, 0x4a
	call1 sleep, 0x4b
	call0 getchar, 0x4c
	call2 readline, 0x4d
	call2 print, 0x4e
	call1 set_term_color, 0x4f
	call2 set_cursor_pos, 0x50
	call2 get_cursor_pos, 0x51
	call0 get_ticks, 0x53
	call1 misbehave, 0x54
	call0 halt, 0x55
	call1 task_vanish, 0x57
	call1 set_status, 0x59
	call0 vanish, 0x60
	call4 readfile, 0x62
	call4 swexn, 0x74
