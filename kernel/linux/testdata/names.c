// Names of files and folders, as calls and their errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void says(const char *what, long result)
{
	printf("%s: %ld, %d\n", what, result, result < 0 ? errno : 0);
}

static void size(const char *name)
{
	struct stat s;
	if (stat(name, &s) != 0) says(name, -1);
	else printf("%s has %ld bytes, %ld names\n", name, (long)s.st_size, (long)s.st_nlink);
}

static void file(const char *name, const char *text, int n)
{
	int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
	says("written", write(fd, text, n));
	close(fd);
}

int main(void)
{
	says("a folder", mkdir("a", 0755));
	says("again", mkdir("a", 0755));
	says("beside it", mkdir("b", 0700));
	file("b/f", "four", 4);
	file("c", "seventh", 7);
	says("a folder that isn't empty", rmdir("b"));
	says("a file in a folder onto that", rename("b/f", "b"));
	says("onto another folder", rename("b/f", "a"));
	says("onto one, without replacing", syscall(SYS_renameat2, AT_FDCWD, "b/f", AT_FDCWD, "a", 1));
	says("onto a file, without replacing", syscall(SYS_renameat2, AT_FDCWD, "b/f", AT_FDCWD, "c", 1));
	says("a second name", link("b/f", "g"));
	size("g");
	says("onto its other name", rename("b/f", "g"));
	size("b/f");
	says("a name that is there", link("c", "g"));
	says("a folder's second name", link("a", "h"));
	says("onto a file", rename("c", "g"));
	size("g");
	size("c");
	size("b/f");
	says("no file", rename("c", "g"));
	says("a folder, as a file", unlink("a"));
	says("a file, as a folder", rmdir("g"));
	says("a file", unlink("b/f"));
	says("gone", unlink("b/f"));
	says("a folder", rmdir("b"));
	says("gone", rmdir("b"));
	file("b", "x", 1);
	size("b");
	says("a file in no folder", open("no/f", O_CREAT | O_RDWR, 0644));
	says("a file in no folder of one that is", open("a/no/f", O_CREAT | O_WRONLY | O_TRUNC, 0644));
	says("a file in a file", open("b/f", O_CREAT | O_RDWR, 0644));
	says("a file further in a file", open("b/no/f", O_CREAT | O_RDWR, 0644));
	says("a folder in no folder", mkdir("no/d", 0755));
	says("a folder in a file", mkdir("b/d", 0755));
	says("into no folder", rename("b", "no/b"));
	says("a name in no folder", link("b", "no/b"));
	says("a nameless file in no folder", open("no", O_TMPFILE | O_RDWR, 0600));
	says("a folder in a folder", mkdir("a/d", 0755));
	file("a/d/f", "12", 2);
	size("a/d/f");
	says("gone", unlink("a/d/f") | rmdir("a/d"));
	says("a file in a folder that is gone", open("a/d/f", O_CREAT | O_RDWR, 0644));
	return 0;
}
