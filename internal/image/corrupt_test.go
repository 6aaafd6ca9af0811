package image

import (
	"errors"
	"landgo/internal/image/linked"
	"os"
	"strings"
	"testing"
	"time"

	"landgo/internal/corrupt"
	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
)

// corruptBound: a file of some kilobytes takes no second and no memory to speak of.
var corruptBound = corrupt.Bound{Time: 5 * time.Second, Fixed: 64 << 20, Factor: 4096}

// TestCorruptELF: for any value in a field of an ELF file or of its debug
// information there is an image, or an error with a kind. The image answers
// every question.
func TestCorruptELF(t *testing.T) {
	seeds := []struct{ name, source, flags string }{
		{"dwarf5", "bare.c", "-static -nostdlib -ffreestanding -g -O1 -DSYMBOL"},
		{"dwarf4", "bare.c", "-static -nostdlib -ffreestanding -gdwarf-4 -O1 -DNOTE"},
		{"i386", "bare.c", "-m32 -static -nostdlib -ffreestanding -no-pie -g"},
		{"packed", "bare.c", "-static-pie -nostdlib -ffreestanding -gdwarf-5 -gz=zlib"},
		{"multiboot", "multiboot.c", "-m32 -static -nostdlib -ffreestanding -fno-pic -no-pie -g"},
	}
	cases := corrupt.Count(t, 1500, 60)
	for _, seed := range seeds {
		good, err := os.ReadFile(imagetest.Compile(t, "gcc", seed.source, seed.flags+" -Wl,-z,max-page-size=4096"))
		if err != nil {
			t.Fatal(err)
		}
		im, err := parseBytes(good)
		if err != nil {
			t.Fatalf("%s: %v", seed.name, err)
		}
		if m := im.Multiboot(); (m != nil) != (seed.name == "multiboot") {
			t.Fatalf("%s: header %v", seed.name, m)
		}
		corrupt.Run(t, seed.name, corrupt.ELF, good, cases/len(seeds), corruptBound, func(data []byte) error {
			im, err := parseBytes(data)
			if err != nil {
				var e *elffile.Error
				if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\x00\x1b") {
					t.Errorf("%q isn't an error in one line with a kind", err)
				}
				return nil
			}
			interrogate(t, im)
			im.Multiboot()
			static.AnyLocked(im.File)
			static.ReadsAhead(im.Info)
			static.Compared(im.Info)
			im.DeclaresAtomic()
			static.Refers(im.File, []uint64{im.Entry}, func(uint64) bool { return false })
			static.Callers(im.Info, im.Entry)
			static.CallAt(im.Info, im.Entry+1)
			return nil
		})
	}
}

// TestCorruptProfile: any profile gives one or a line.
func TestCorruptProfile(t *testing.T) {
	good := []byte(`name: lab
functions:
  lock: {name: mutex_lock, arguments: [1]}
  unlock: [my_unlock, other_unlock]
  panic:
  - name: die
    arguments: 2
trust: [queue_put, queue_get]
allocators:
  pool:
    malloc: {name: pool_alloc, size: 8}
    free: [pool_free]
    memory: pool_memory
sizes:
  mutex: 40
kernel:
  thread: {stack: 4096, priority: thread.priority}
  current: current
  ready-list: [{variable: ready, next: 8}]
  idle: idle
  memory: 0x100000
`)
	im, err := Open(imagetest.Compile(t, "gcc", "bare.c", "-static -nostdlib -ffreestanding -g -O1 -DSYMBOL"), linked.Search{})
	if err != nil {
		t.Fatal(err)
	}
	corrupt.Run(t, "profile", corrupt.YAML, good, corrupt.Count(t, 1500, 15), corruptBound, func(data []byte) error {
		p, err := profile.Parse("p.yaml", data)
		if err != nil {
			var e *profile.Error
			if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("the error isn't a line of a profile's: %q", err)
			}
			return nil
		}
		if p.Fits(im.Info) == nil {
			p.OwnKernel(im.Info)
			profile.Roles(im.Info, p.Over(profile.Default(im.Info)))
		}
		return nil
	})
}
