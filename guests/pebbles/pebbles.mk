# A Makefile includes this to build tasks for Pebbles with plain gcc, after it
# has set PEBBLES to this folder. A program is linked by naming its objects:
#
#	PEBBLES = path/to/guests/pebbles
#	include $(PEBBLES)/pebbles.mk
#	join_test: join_test.o thread.o mutex.o

OPT ?= -O2

# MACHINE=i386 builds for the interface's i386 form. That needs nothing beside
# gcc, for no header or library of a C library's is used.
ifeq ($(MACHINE),i386)
CFLAGS += -m32
ASFLAGS += -m32
LDFLAGS += -m32
endif

# No floating point and no vector registers, which the interface doesn't know;
# frames can be unwound by what is in .eh_frame.
CFLAGS += -std=gnu11 -g $(OPT) -Wall -Wextra -I. -I$(PEBBLES)/runtime \
	-ffreestanding -fno-pic -fno-stack-protector -fcf-protection=none \
	-mgeneral-regs-only -fasynchronous-unwind-tables
ASFLAGS += -g
LDFLAGS += -nostdlib -static -no-pie -Wl,-Ttext-segment=0x1000000 \
	-Wl,-e,_main -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,norelro

# Compiled into each program: there is no library to build first.
RUNTIME = $(addprefix $(PEBBLES)/runtime/, crt0.S traps.S exit.c malloc.c printf.c string.c)
LINK.o = $(CC) $(CFLAGS) $(LDFLAGS)
LDLIBS += $(RUNTIME)
