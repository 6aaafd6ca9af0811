/* The mistakes that this kernel can be built with, -D each: see ../expect.json. */
#ifndef COURSE_VARIANT_H
#define COURSE_VARIANT_H

/* timer_sleep gives up after three turns. Where it counts them: in the thread's
 * structure, */
#ifndef IMPATIENT
#define IMPATIENT 0
#endif
/* on its stack, */
#ifndef IMPATIENT_LOCAL
#define IMPATIENT_LOCAL 0
#endif
/* in a section without interrupts, where others look, */
#ifndef IMPATIENT_SECTION
#define IMPATIENT_SECTION 0
#endif
/* or in the one in which a thread yields, for all. */
#ifndef IMPATIENT_YIELD
#define IMPATIENT_YIELD 0
#endif
/* sema_down looks in one section and sleeps in the next. */
#ifndef DOWN_LATE
#define DOWN_LATE 0
#endif
/* timer_sleep notes that it sleeps before it turns interrupts off. */
#ifndef SLEEP_OPEN
#define SLEEP_OPEN 0
#endif
/* sema_up leaves interrupts off when a thread waits. */
#ifndef UP_OFF
#define UP_OFF 0
#endif
/* A letter comes onto the screen, and its lines go up, with interrupts on. */
#ifndef LETTER_OPEN
#define LETTER_OPEN 0
#endif

#endif
