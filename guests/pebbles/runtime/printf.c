/* printf for integers, strings, characters and pointers: %d %i %u %x %c %s %p
 * %%, with l and z, a width, and a leading zero. Anything else is printed as it
 * stands. */
#include "pebbles.h"

struct out {
	char *buf;
	size_t size, len;
};

static void put(struct out *o, char c)
{
	if (o->len + 1 < o->size)
		o->buf[o->len] = c;
	o->len++;
}

static void put_padded(struct out *o, const char *s, int width, char pad)
{
	int n = strlen(s);
	if (pad == '0' && *s == '-') {
		put(o, *s++);
		width--, n--;
	}
	for (; width > n; width--)
		put(o, pad);
	while (*s != '\0')
		put(o, *s++);
}

static void put_number(struct out *o, unsigned long v, int negative, unsigned base, int width, char pad)
{
	char digits[24];
	char *p = &digits[sizeof digits];

	*--p = '\0';
	do
		*--p = "0123456789abcdef"[v % base];
	while ((v /= base) != 0);
	if (negative)
		*--p = '-';
	put_padded(o, p, width, pad);
}

int vsnprintf(char *buf, size_t size, const char *format, va_list args)
{
	struct out o = {buf, size, 0};

	for (const char *p = format; *p != '\0'; p++) {
		if (*p != '%') {
			put(&o, *p);
			continue;
		}
		const char *start = p++;
		char pad = ' ';
		int width = 0, wide = 0;
		if (*p == '0')
			pad = '0';
		while (*p >= '0' && *p <= '9')
			width = width * 10 + (*p++ - '0');
		while (*p == 'l' || *p == 'z')
			wide = 1, p++;
		switch (*p) {
		case 'd':
		case 'i': {
			long v = wide ? va_arg(args, long) : va_arg(args, int);
			put_number(&o, v < 0 ? -(unsigned long)v : (unsigned long)v, v < 0, 10, width, pad);
			break;
		}
		case 'u':
		case 'x':
			put_number(&o, wide ? va_arg(args, unsigned long) : va_arg(args, unsigned), 0,
				   *p == 'x' ? 16 : 10, width, pad);
			break;
		case 'p':
			put(&o, '0');
			put(&o, 'x');
			put_number(&o, (unsigned long)va_arg(args, void *), 0, 16, width, pad);
			break;
		case 'c':
			put(&o, va_arg(args, int));
			break;
		case 's': {
			const char *s = va_arg(args, const char *);
			put_padded(&o, s != NULL ? s : "(null)", width, ' ');
			break;
		}
		case '%':
			put(&o, '%');
			break;
		default:
			while (start < p)
				put(&o, *start++);
			p--;
		}
	}
	if (size > 0)
		buf[o.len < size ? o.len : size - 1] = '\0';
	return o.len;
}

int snprintf(char *buf, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(buf, size, format, args);
	va_end(args);
	return n;
}

static int vprintf(const char *format, va_list args)
{
	char line[256];
	int n = vsnprintf(line, sizeof line, format, args);

	if (n > (int)sizeof line - 1)
		n = sizeof line - 1;
	print(n, line);
	return n;
}

int printf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vprintf(format, args);
	va_end(args);
	return n;
}

int lprintf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vprintf(format, args);
	va_end(args);
	return n;
}
