/* standard input and the user's files */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	char line[100];
	struct stat st;
	while (fgets(line, sizeof line, stdin))
		printf("<%s", line);
	FILE *f = fopen(argv[1], "r");
	if (!f)
		return 1;
	while (fgets(line, sizeof line, f))
		printf("[%s", line);
	rewind(f);
	printf("%c", fgetc(f));
	fclose(f);
	int fd = open(argv[1], O_RDONLY);
	fstat(fd, &st);
	char *p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	printf("%.*s", (int)st.st_size, p);
	int copy = dup(fd);
	printf("%ld", (long)lseek(copy, 2, SEEK_SET));
	printf("%zd", read(fd, line, 2));
	printf("%.2s", line);
	printf("%zd", pread(fd, line, 100, 4) > 0);
	close(fd);
	close(copy);
	printf("%d", open("/no/such/file", O_RDONLY));
	f = fopen("/dev/null", "w");
	fprintf(f, "gone");
	printf("%d\n", fclose(f));
	return 0;
}
