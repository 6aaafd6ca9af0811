#include <stdlib.h>

// A structure of 32 bytes: no other one to which there are pointers has this size.
struct node {
	int magic;
	struct node *next;
	void *any;
	short a, b;
	int c;
};

struct node *volatile one;

int main(void)
{
	one = malloc(sizeof *one);
	return one->magic;
}
