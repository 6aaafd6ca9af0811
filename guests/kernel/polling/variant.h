/* The mistakes that this kernel can be built with, -D each. */
#ifndef POLLING_VARIANT_H
#define POLLING_VARIANT_H

/* A worker adds to the word of memory without the lock. */
#ifndef ADD_OPEN
#define ADD_OPEN 0
#endif
/* disk_wait waits for an interrupt though it has come already. */
#ifndef WAIT_LATE
#define WAIT_LATE 0
#endif
/* mend doesn't map the page. */
#ifndef UNMENDED
#define UNMENDED 0
#endif

#endif
