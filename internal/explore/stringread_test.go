package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const stringsOf = `
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
static void *f(void *a) { return a; }
static char *mk(const char *s, size_t n) { char *p = malloc(n); memcpy(p, s, n); return p; }
static char dst[256];
static volatile long sink;
#define U(x) sink = (long)(x)
`

// readsWithin are calls of string functions and of stdio that may read no more than
// the given blocks have. A length limits them, or a precision, or the character
// that is looked for comes before.
var readsWithin = []string{
	`char*p=mk("abcd",4); printf("%.4s\n",p); printf("%.2s\n",p); free(p);`,
	`char*p=mk("abcd",4); printf("%.*s\n",4,p); printf("%-8.*s|\n",3,p); free(p);`,
	`char*p=mk("abcdefgh",8); char*q=malloc(9); snprintf(q,9,"%.8s",p); free(p);free(q);`,
	`char*p=malloc(4); U(snprintf(p,4,"%s","longer text")); free(p);`,
	`char*p=mk("xyz",3); fprintf(stderr,"%.3s",p); free(p);`,
	`char*p=malloc(1); printf("%.0s.\n",p); free(p);`,
	`char*p=mk("abc",4); puts(p); fputs(p,stdout); free(p);`,
	`char*p=mk("abcdef",6); fwrite(p,1,6,stdout); fwrite(p,2,3,stdout); free(p);`,
	`char*p=mk("abcd",4); char*q=malloc(4); strncpy(q,p,4); U(q[3]); free(p);free(q);`,
	`char*p=mk("a",2); char*q=malloc(16); strncpy(q,p,16); U(q[15]); free(p);free(q);`,
	`char*p=mk("abcdefg",7); U(strnlen(p,7)); U(strnlen(p,3)); char*q=mk("a",2); U(strnlen(q,100)); free(p);free(q);`,
	`char*p=mk("a,",2); char*q=malloc(2); U(memccpy(q,p,44,100)); free(p);free(q);`,
	`char*p=mk("ab",2); U(strncmp(p,"ac",100)); char*q=mk("abc",3); U(strncmp(q,"abc",3)); free(p);free(q);`,
	`char*p=mk("a",2); char*q=mk("a",2); U(strncmp(p,q,50)); free(p);free(q);`,
	`char*p=mk("x",1); U(strcmp(p,"yyy")); free(p);`,
	`char*p=mk("AB",2); U(strncasecmp(p,"ac",9)); U(strcasecmp(p,"xx")); char*q=mk("ab",2); U(strncasecmp(q,"AB",2)); free(p);free(q);`,
	`char*p=mk("ab",2); U(memchr(p,98,2)); U(memchr(p,98,1000)); free(p);`,
	`char*p=mk("abcd",4); char*q=malloc(6); q[0]=120;q[1]=0; strncat(q,p,4); U(q[0]); free(p);free(q);`,
	`char*p=mk("abc",4); char*q=malloc(4); U(stpcpy(q,p)); U(strdup(p)); free(p);free(q);`,
	`char*p=mk("abcd",4); char*q=strndup(p,4); U(strlen(q)); free(q); free(p);`,
	`char*p=mk("abcd",4),*q=mk("abcd",4); U(memcmp(p,q,4)); U(bcmp(p,q,4)); free(p);free(q);`,
	`char*p=mk("12x",3); U(strtol(p,0,10)); char*q=mk("7",2); U(atoi(q)); U(strtod(q,0)); free(p);free(q);`,
	`char*p=mk("12 ab",6); int i; char w[8]; U(sscanf(p,"%d %3s",&i,w)); free(p);`,
	`char*p=mk("a=b",3); U(strchr(p,61)); U(strcspn(p,"=")); U(strspn(p,"xyz")); U(strpbrk(p,"=")); free(p);`,
	`char*p=mk("hello",6),*q=mk("lo",3); U(strstr(p,q)); U(strstr(p,"zz")); free(p);free(q);`,
	`char*p=mk("a b",4),*s; for(char*x=strtok_r(p," ",&s);x;x=strtok_r(0," ",&s)) U(x[0]); free(p);`,
	`char*p=mk("abcdef",6); U(memmem(p,6,"ef",2)); U(memrchr(p,97,6)); free(p);`,
	`wchar_t*w=malloc(3*sizeof*w); w[0]=97;w[1]=98;w[2]=0; U(wcslen(w)); U(wcsnlen(w,3)); U(wcsncmp(w,L"abx",2)); free(w); wchar_t*v=malloc(2*sizeof*v); v[0]=v[1]=97; U(wcsnlen(v,2)); printf("%.2ls\n",v); free(v);`,
	`char*p=mk("r",2); FILE*o=fmemopen(dst,200,p); if(o){fprintf(o,"%.1s",p); fclose(o);} free(p);`,
	`char*p=mk("ab",3); char*q=malloc(3); U(strxfrm(q,p,3)); U(strcoll(p,"ab")); free(p);free(q);`,
	`char*p=malloc(64); U(strerror_r(2,p,64)); free(p);`,
	`char*p=malloc(4); sprintf(p,"%d",123); U(p[0]); free(p);`,
}

// readsBeyond are such calls that read or write one byte too many.
var readsBeyond = []string{
	`char*p=mk("abcd",4); printf("%s\n",p); free(p);`,
	`char*p=mk("abcd",4); printf("%.5s\n",p); free(p);`,
	`char*p=mk("abcd",4); U(strlen(p)); free(p);`,
	`char*q=malloc(4); strncpy(q,"ab",5); U(q[0]); free(q);`,
	`char*q=malloc(4); char b[8]="abcd"; strcpy(q,b+(sink!=0)); U(q[0]); free(q);`,
	`char*q=malloc(4); snprintf(q,8,"%s","abcd"); U(q[0]); free(q);`,
	`char*p=mk("abc",3); U(strncmp(p,"abcd",4)); free(p);`,
	`char*p=mk("abc",3); U(memcmp(p,"abcd",4+(sink!=0))); free(p);`,
	`char*p=mk("abc",3); U(strnlen(p,4)); free(p);`,
	`char*p=mk("abc",3); U(memchr(p,120,4)); free(p);`,
	`char*p=mk("abc",3); char*q=strdup(p); free(q); free(p);`,
	`char*p=mk("abc",3); fwrite(p,1,4,stdout); fflush(stdout); free(p);`,
	`char*q=malloc(3); q[0]=120;q[1]=0; strncat(q,"ab",2); U(q[0]); free(q);`,
	`char*p=mk("abc",3); U(strchr(p,120)); free(p);`,
	`char*p=mk("abc",3); puts(p); free(p);`,
	`char*p=mk("123",3); U(atoi(p)); free(p);`,
}

// TestStringsWithinBlocks: a right call isn't a bug, and a wrong one is, with both C
// libraries, while another thread is there.
func TestStringsWithinBlocks(t *testing.T) {
	t.Parallel()
	run := func(libc, body string) *result.Result {
		cfg := config.Default()
		cfg.Guest, cfg.Out = compile.Text(t, libc, stringsOf+"int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n"+body+"pthread_join(t, 0); return 0; }\n"), config.NoFile
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		return r
	}
	for _, libc := range []string{"gcc", "musl-gcc"} {
		all := ""
		for _, body := range readsWithin {
			all += "{ " + body + " }\n"
		}
		if r := run(libc, all); r.Verdict != result.Verified {
			t.Errorf("%s: %s %s %+v", libc, r.Verdict, r.Reason, r.Bug)
		}
		for _, body := range readsBeyond {
			if r := run(libc, body); r.Bug == nil || r.Bug.Kind != trace.HeapOverflow {
				t.Errorf("%s: %s: %s %s, want a heap-overflow", libc, body, r.Verdict, r.Reason)
			}
		}
	}
}
