package image

import (
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/image/profile"
)

func TestKernel(t *testing.T) {
	for _, tc := range []struct {
		name, flags string
		kernel      elffile.Kernel
		machine     elffile.Machine
	}{
		{"symbol", "-static -nostdlib -ffreestanding -DSYMBOL", elffile.Pebbles, elffile.X86_64},
		{"note, stripped", "-static -nostdlib -ffreestanding -DNOTE -s", elffile.Pebbles, elffile.X86_64},
		{"neither", "-static -nostdlib -ffreestanding", elffile.Linux, elffile.X86_64},
		{"i386", "-m32 -static -nostdlib -ffreestanding -no-pie", elffile.UnknownKernel, elffile.I386},
		{"i386, begins at _main", "-m32 -static -nostdlib -ffreestanding -no-pie -D_start=_main -Wl,-e,_main", elffile.Pebbles, elffile.I386},
		{"i386, text at 0x1000000, stripped", "-m32 -static -nostdlib -ffreestanding -no-pie -s -Wl,-Ttext,0x1000000", elffile.Pebbles, elffile.I386},
		{"i386 with symbol", "-m32 -static -nostdlib -ffreestanding -no-pie -DSYMBOL", elffile.Pebbles, elffile.I386},
	} {
		t.Run(tc.name, func(t *testing.T) {
			im := open(t, "gcc", "bare.c", tc.flags)
			if im.Kernel != tc.kernel || im.Machine != tc.machine || im.Libc() != elffile.NoLibc {
				t.Errorf("%v, %v, %v", im.Kernel, im.Machine, im.Libc())
			}
			s, ok := im.Symbol("_start")
			if !ok {
				s, ok = im.Symbol("_main")
			}
			if !im.Stripped && (!ok || s.Addr != im.Entry) {
				t.Errorf("_start %#x, entry %#x", s.Addr, im.Entry)
			}
		})
	}
}

// TestLinux: a program with a C library is one for Linux.
func TestLinux(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static", "-static -s", "-static-pie -s -O1"} {
			if im := open(t, l.Compiler, "threads.c", flags); im.Kernel != elffile.Linux {
				t.Errorf("%s %s: %v", l.Compiler, flags, im.Kernel)
			}
		}
	}
}

func TestP2Roles(t *testing.T) {
	im := open(t, "gcc", "bare.c", "-static -nostdlib -ffreestanding -DSYMBOL")
	if profile.Default(im.Info) != &profile.P2 {
		t.Fatal("not the P2 profile")
	}
	s, _ := im.Symbol("mutex_lock")
	if b := profile.Roles(im.Info, profile.Default(im.Info))[s.Addr]; b.Role != profile.MutexLock || b.Name != "mutex_lock" {
		t.Errorf("%+v", b)
	}
}
