/* Threads whose code lets their own places out, or works with them, and some that do not. */
#include <stdint.h>
int x; volatile uintptr_t where; int own_lock; int (*f)(int *);
__attribute__((noinline)) void lock(int *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
__attribute__((noinline)) static int inner(int k) { volatile int v = k + x; return v * 2; }
void *plain(void *a) { for (int i = 0; i < 3; i++) x += inner(i); return a; }
void *guarded(void *a) { lock(&own_lock); x++; return a; }
void *lends(void *a) { int k = 1; lock(&k); return a; }
void *leaks(void *a) { volatile int k = 1; where = (uintptr_t)&k; return a; }
void *compares(void *a) { volatile int k = 1; if ((uintptr_t)&k > where) x++; return a; }
void *indirect(void *a) { f(&x); return a; }
void *reads(void *a) { x = *(int *)a; return a; }
__attribute__((naked)) void *number(void *a) { __asm__("mov %fs:0, %rax; mov %rax, x(%rip); ret"); }
__attribute__((naked)) void *left(void *a) { __asm__("mov %rbx, x(%rip); ret"); }
__attribute__((naked)) void *kept(void *a) { __asm__("push %rbx; mov %rdi, %rbx; mov %rbx, %rax; pop %rbx; ret"); }
__attribute__((naked)) void *below(void *a) { __asm__("mov -64(%rsp), %rax; mov %rax, x(%rip); ret"); }
__attribute__((naked)) void *flags(void *a) { __asm__("sub $8, %rsp; setp x(%rip); add $8, %rsp; ret"); }
__attribute__((naked)) void *saved(void *a) { __asm__("push %rbp; mov %rsp, %rbp; mov (%rbp), %rax; mov %rax, x(%rip); pop %rbp; ret"); }
__attribute__((naked)) void *frame(void *a) { __asm__("push %rsp; pop %rax; mov %rax, x(%rip); ret"); }
__attribute__((naked)) void *half(void *a) { __asm__("mov %esp, %eax; mov %eax, x(%rip); ret"); }
__attribute__((naked)) void *call(void *a) { __asm__("syscall; ret"); }
int main(void) { return 0; }
