/* The mistakes that this kernel can be built with, -D each. */
#ifndef USERS_VARIANT_H
#define USERS_VARIANT_H

/* wait looks for a child that has ended in one section, and sleeps in the next. */
#ifndef WAIT_LOST
#define WAIT_LOST 0
#endif
/* lock looks with interrupts on whether it is free. */
#ifndef LOCK_OPEN
#define LOCK_OPEN 0
#endif
/* add adds with interrupts on. */
#ifndef ADD_OPEN
#define ADD_OPEN 0
#endif

#endif
