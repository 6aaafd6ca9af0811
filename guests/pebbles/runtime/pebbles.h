/* The Pebbles trap interface and landgo's small runtime for it.
 *
 * abi.md says what each call does, and how it looks below C. Every call whose
 * result is an int returns a negative number when it fails.
 */
#ifndef PEBBLES_H
#define PEBBLES_H

#include <stdarg.h>
#include <stddef.h>

#define PAGE_SIZE 4096
#define USER_MEM_START 0x1000000

/* Results of calls that fail. */
#define ERR_ARGUMENT (-1) /* a length, a number, a state that doesn't fit */
#define ERR_POINTER (-2)  /* memory that the caller can't read or write */
#define ERR_THREAD (-3)   /* no such thread, or not in the right state */
#define ERR_MEMORY (-4)   /* pages are in use, or there are no more */

/* Threads. thread_fork isn't a C function: the child has the parent's stack
 * pointer, so code around it must be assembly that touches no stack. */
#define THREAD_FORK_INT 0x52
#define VANISH_INT 0x60
int gettid(void);
int yield(int tid);
int deschedule(int *reject);
int make_runnable(int tid);
int sleep(int ticks);
int get_ticks(void);
void set_status(int status);
void vanish(void) __attribute__((noreturn));
void task_vanish(int status) __attribute__((noreturn));

/* Memory. */
int new_pages(void *base, int len);
int remove_pages(void *base);

/* The console. */
int print(int len, const char *buf);
int readline(int len, char *buf);
int getchar(void);
int set_term_color(int color);
int set_cursor_pos(int row, int col);
int get_cursor_pos(int *row, int *col);

/* What one task has no use for; landgo names these and gives up. */
int fork(void);
int exec(char *name, char **argv);
int wait(int *status);
int readfile(char *name, char *buf, int count, int offset);

void halt(void) __attribute__((noreturn));
void misbehave(int mode);

/* Exceptions. */
#define SWEXN_CAUSE_DIVIDE 0x00
#define SWEXN_CAUSE_BREAKPOINT 0x03
#define SWEXN_CAUSE_OPCODE 0x06
#define SWEXN_CAUSE_PROTFAULT 0x0d
#define SWEXN_CAUSE_PAGEFAULT 0x0e

typedef struct ureg {
	unsigned long cause;
	unsigned long cr2; /* the address, for a page fault */
	unsigned long ds, es, fs, gs;
#ifdef __i386__
	unsigned long edi, esi, ebp, zero, ebx, edx, ecx, eax;
	unsigned long error_code, eip, cs, eflags, esp, ss;
#else
	unsigned long rdi, rsi, rbp, zero, rbx, rdx, rcx, rax;
	unsigned long r8, r9, r10, r11, r12, r13, r14, r15;
	unsigned long error_code, rip, cs, rflags, rsp, ss;
#endif
} ureg_t;

typedef void (*swexn_handler_t)(void *arg, ureg_t *ureg);

/* stack is the first address above the handler's stack. */
int swexn(void *stack, swexn_handler_t handler, void *arg, ureg_t *newureg);

/* The runtime. exit ends the calling thread, and the task with the last one;
 * a thread library may have its own. */
void exit(int status) __attribute__((noreturn));
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int lprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int vsnprintf(char *buf, size_t size, const char *format, va_list args);
int snprintf(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* landgo stops at the entry of these two and reports an assertion. */
void panic(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));

#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))

void *memset(void *p, int c, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);

/* An allocator that knows nothing of threads: a library wraps it. */
void *_malloc(size_t size);
void *_calloc(size_t count, size_t size);
void *_realloc(void *p, size_t size);
void _free(void *p);

/* Called by crt0 before main; a library that grows the main stack by a page
 * fault handler has its own. */
void install_autostack(void *stack_high, void *stack_low);

#endif
