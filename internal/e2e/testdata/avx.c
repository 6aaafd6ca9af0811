/* Uses an instruction set that the emulated processor hasn't got. */
int main(void)
{
	__asm__ volatile("vaddps %%ymm0, %%ymm1, %%ymm2" ::: "xmm2");
	return 0;
}
