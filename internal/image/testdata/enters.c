/* leaf can be begun with the address of second, in place of a return address. */
static volatile int x;

__attribute__((noinline)) static void leaf(void) { asm volatile(""); }
__attribute__((noinline)) static void before(void) { x = 1; }
__attribute__((noinline)) static void second(void) { x = 2; }

int main(void)
{
	leaf();
	before();
	second();
	x = 3;
	return 0;
}
