/* Takes terabytes, a piece at a time, as far as it gets them: maps them, and
   writes to each page with -DWRITE. */
#include <stdlib.h>
#include <sys/mman.h>

int main(void)
{
	const unsigned long piece = PIECE;
	for (int i = 0; i < 1 << 16; i++) {
		char *p = mmap(0, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			exit(0);
#ifdef WRITE
		for (unsigned long k = 0; k < piece; k += 4096)
			p[k] = 1;
#endif
	}
	return 0;
}
