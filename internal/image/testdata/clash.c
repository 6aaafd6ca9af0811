/* A program with a function of its own that is called like a libc one. */
static volatile int calls;

__attribute__((noinline)) static void perror(const char *text)
{
	calls += text[0];
}

int main(void)
{
	perror("mine");
	return calls;
}
