/* A freestanding program, with a sign of Pebbles or without. */
#ifdef SYMBOL
const int __pebbles_abi = 1;
#endif
#ifdef NOTE
__attribute__((section(".note.pebbles,\"a\",@note#"), used, aligned(4)))
static const struct {
	int owner_size, size, type;
	char owner[8];
	int version;
} note = {8, 4, 1, "Pebbles", 1};
#endif

int mutex_lock(int *m)
{
	return __atomic_exchange_n(m, 1, __ATOMIC_SEQ_CST);
}

void _start(void)
{
	static int m;

	for (;;)
		mutex_lock(&m);
}
