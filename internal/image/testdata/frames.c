void *volatile kept;
__attribute__((noinline)) void use(void *p) { kept = p; }
__attribute__((noinline)) int leaf(int a) { volatile int x[5]; x[a] = a; return x[0]; }
__attribute__((noinline)) int calls(int a) { char b[200]; use(b); return b[a]; }
__attribute__((noinline)) int parts(int a) { if (a > 3) { char b[300]; use(b); return b[a]; } return a; }
__attribute__((noinline)) int none(int a) { return a + 1; }
int main(int c, char **v) { return leaf(c) + calls(c) + parts(c) + none(c); }
