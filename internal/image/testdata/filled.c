/* Words that hold a function's address: one that the program may change, and one that it can't. */
static void f(void) { }
void (*volatile variable)(void) = f;
void (*const constant)(void) = f;
int main(void)
{
	variable();
	constant();
	return 0;
}
