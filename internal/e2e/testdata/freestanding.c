/* Needs no C library, so that it can be built for any machine. */
void _start(void)
{
	for (;;)
		;
}
