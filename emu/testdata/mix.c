/*
 * A guest without a library that executes a bit of everything: sorting, a checksum, a
 * list, floating point in SSE and x87. It has string instructions, locked ones, and
 * those that the engine makes in helpers. It leaves a checksum of itself in `result` and
 * halts.
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

enum { N = 24 };

u32 result;
static int table[N];
static u8 text[64], copy[64];
static double numbers[8];
static long double wide[4];
static u8 state[512] __attribute__((aligned(16)));
static u64 pair[2] __attribute__((aligned(16)));
static u8 pages[8192] __attribute__((aligned(4096)));

struct node {
	struct node *next;
	int value;
};
static struct node nodes[N], *head;

static u32 crc(const void *p, u32 n)
{
	const u8 *b = p;
	u32 c = ~0u;
	for (u32 i = 0; i < n; i++) {
		c ^= b[i];
		for (int k = 0; k < 4; k++)
			c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0);
	}
	return ~c;
}

static void sort(int *a, int lo, int hi)
{
	if (lo >= hi)
		return;
	int pivot = a[(lo + hi) / 2], i = lo, j = hi;
	while (i <= j) {
		while (a[i] < pivot)
			i++;
		while (a[j] > pivot)
			j--;
		if (i <= j) {
			int x = a[i];
			a[i++] = a[j];
			a[j--] = x;
		}
	}
	sort(a, lo, j);
	sort(a, i, hi);
}

static void lists(void)
{
	for (int i = 0; i < N; i++) {
		nodes[i].value = table[i] * 3;
		nodes[i].next = head;
		head = &nodes[i];
	}
	for (struct node *n = head; n; n = n->next)
		result += n->value;
}

static void floats(void)
{
	for (int i = 0; i < 8; i++)
		numbers[i] = (double)(i + 1) / 3;
	for (int i = 1; i < 8; i++)
		numbers[i] = numbers[i] * numbers[i - 1] + 1.5;
	for (int i = 0; i < 4; i++)
		wide[i] = (long double)numbers[i] / 7 + (i ? wide[i - 1] : 0);
	result ^= crc(numbers, sizeof numbers);
	for (int i = 0; i < 4; i++)
		result ^= crc(&wide[i], 10);
}

static void strings(void)
{
	void *s = text, *d = copy;
	unsigned long n = 40;
	__asm__ volatile("rep stosb" : "+D"(s), "+c"(n) : "a"('x') : "memory");
	text[17] = 'y';
	s = text;
	n = 40;
	__asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(n) : : "memory");
	copy[30] = 'z';
	s = text;
	d = copy;
	n = 40;
	__asm__ volatile("repe cmpsb" : "+S"(s), "+D"(d), "+c"(n) : : "memory", "cc");
	result += n;
	s = text;
	d = copy;
	__asm__ volatile("movsl\n\tcmpsl" : "+S"(s), "+D"(d) : : "memory", "cc");
}

static void locked(void)
{
	u32 *x = (u32 *)&pair[0];
	u32 old = 5, with = 9;
	*x = 7;
	__asm__ volatile("lock addl $3, %0" : "+m"(*x));
	__asm__ volatile("lock cmpxchgl %2, %1" : "+a"(old), "+m"(*x) : "r"(with));
	__asm__ volatile("lock cmpxchgl %2, %1" : "+a"(old), "+m"(*x) : "r"(with));
	__asm__ volatile("lock xaddl %0, %1" : "+r"(with), "+m"(*x));
	__asm__ volatile("xchgl %0, %1" : "+r"(with), "+m"(*x));
	__asm__ volatile("xaddl %0, %1" : "+r"(with), "+m"(*x));
	__asm__ volatile("cmpxchgl %2, %1" : "+a"(old), "+m"(*x) : "r"(with));
	__asm__ volatile("lock btsl $9, %0" : "+m"(*x));
	__asm__ volatile("incl %0\n\tnotl %0\n\tnegl %0" : "+m"(*x));
	result += old + with + *x;
}

static void pairs(void)
{
	u32 a = 0, d = 0;
	pair[0] = 0;
	for (u32 i = 0; i < 3; i++)
		__asm__ volatile("lock cmpxchg8b %2" : "+a"(a), "+d"(d), "+m"(pair[0]) : "b"(i + 4), "c"(i) : "cc");
	__asm__ volatile("cmpxchg8b %2" : "+a"(a), "+d"(d), "+m"(pair[0]) : "b"(77), "c"(78) : "cc");
#ifdef __x86_64__
	u64 p = pair[0], q = pair[1];
	for (u64 i = 0; i < 3; i++)
		__asm__ volatile("lock cmpxchg16b %2" : "+a"(p), "+d"(q), "+m"(*(__int128 *)pair) : "b"(i + 4), "c"(i) : "cc");
	__asm__ volatile("cmpxchg16b %2" : "+a"(p), "+d"(q), "+m"(*(__int128 *)pair) : "b"(79ull), "c"(80ull) : "cc");
	result += p + q;
#endif
	result += a + d + crc(pair, sizeof pair);
}

static void helpers(void)
{
	/* Saved pointers differ between engines: only what a program sets is summed. */
	__asm__ volatile("fxsave %0" : "=m"(state));
	__asm__ volatile("fxrstor %0" : : "m"(state));
	__asm__ volatile("push %0\n\tpop %0" : "+m"(pair[1]));
	__asm__ volatile("fldt %1\n\tfld1\n\tfaddp\n\tfstpt %0" : "=m"(wide[1]) : "m"(wide[2]));
#ifdef __x86_64__
	__asm__ volatile("enter $16, $0\n\tleave" : : : "memory");
	/* Below the red zone nothing may be live. */
#endif
	result ^= crc(&wide[1], 10) + crc(&pair[1], 8);
}

static void crossing(void)
{
	u64 *p = (u64 *)(pages + 4093);
	for (u32 i = 0; i < sizeof pages; i += 512)
		pages[i] = (u8)i;
	*p = 0x1122334455667788;
	*p += 5;
	result += (u32)*p + (u32)(*p >> 32);
	__asm__ volatile("movdqu %0, %%xmm1\n\tpaddd %%xmm1, %%xmm1\n\tmovdqu %%xmm1, %0" : "+m"(*(u8(*)[16])(pages + 4090)) : : "xmm1");
	result ^= crc(pages + 4088, 20);
}

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < N; i++)
		table[i] = i * 7919 % 101;
	sort(table, 0, N - 1);
	result = crc(table, sizeof table);
	lists();
	floats();
	strings();
	locked();
	pairs();
	crossing();
	helpers();
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
	work();
	for (;;)
		__asm__ volatile("hlt");
}
