/* Returns to itself as from an interrupt, which any program may. */
int main(void)
{
	__asm__ volatile("mov %%rsp, %%rax; mov %%ss, %%ecx; push %%rcx; push %%rax; pushf; mov %%cs, %%ecx; push %%rcx;"
			 "lea 1f(%%rip), %%rax; push %%rax; iretq; 1:" : : : "rax", "rcx", "memory");
}
