package image

import (
	"os"
	"runtime"
	"testing"
	"time"

	"landgo/internal/image/imagetest"
	"landgo/internal/image/profile"
	"landgo/internal/image/unwind"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// FuzzParse: any bytes give an error or an image, and whatever is asked of the
// image is answered, without a panic and in memory in proportion to the file.
//
//	go test ./internal/image -fuzz FuzzParse -fuzztime 60s
func FuzzParse(f *testing.F) {
	f.Add(goodELF().bytes())
	for _, tc := range badELFs {
		f.Add(tc.make(goodELF()))
	}
	for _, seed := range []struct{ source, flags string }{
		{"bare.c", "-static -nostdlib -ffreestanding -g -O1 -DSYMBOL"},
		{"bare.c", "-static -nostdlib -ffreestanding -gdwarf-4 -O1 -DNOTE"},
		{"bare.c", "-m32 -static -nostdlib -ffreestanding -no-pie -g"},
		{"bare.c", "-static-pie -nostdlib -ffreestanding -gdwarf-5 -gz=zlib"},
	} {
		b, err := os.ReadFile(imagetest.Compile(f, "gcc", seed.source, seed.flags+" -Wl,-z,max-page-size=4096"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		im, err := parseBytes(b)
		if err == nil {
			interrogate(t, im)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%v for a file of %d bytes", took, len(b))
		}
		runtime.ReadMemStats(&after)
		const perByte, fixed = 4096, 64 << 20
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(len(b))*perByte+fixed {
			t.Errorf("%d bytes of memory for a file of %d", used, len(b))
		}
	})
}

// interrogate asks an image everything.
func interrogate(t *testing.T, im *Image) {
	if !im.IsCode(im.Entry) {
		t.Errorf("the entry point %#x is no code", im.Entry)
	}
	profile.Roles(im.Info, profile.Default(im.Info))
	im.MemberOf("thread", "state.a")
	im.PathIn("ready", "first")
	im.StructSize("thread")
	im.Enumerator("READY")
	im.Unseen("main")
	pcs := []uint64{im.Entry, im.Entry + 1}
	for i, s := range im.Functions {
		if i == 8 {
			break
		}
		if at, ok := im.SymbolAt(s.Addr); s.Size > 0 && im.IsCode(s.Addr) && (!ok || at.Addr != s.Addr) {
			t.Errorf("%s isn't at its own address", s.Name)
		}
		pcs = append(pcs, s.Addr, s.Addr+s.Size/2)
	}
	stack := map[uint64]uint64{}
	read := func(addr uint64) (uint64, bool) {
		if v, ok := stack[addr]; ok {
			return v, true
		}
		v := pcs[addr/8%uint64(len(pcs))]
		stack[addr] = v
		return v, addr < 1<<48
	}
	for _, pc := range pcs {
		if fs := im.Frames(pc); im.IsCode(pc) != (len(fs) > 0) {
			t.Errorf("%#x has %d frames", pc, len(fs))
		}
		x86.Inst(im.File, im.Bytes(pc, x86.MaxInst), pc)
		if rets := im.Unwind(&trace.Regs{RIP: pc, RSP: 0x7fff0000, RBP: 0x7fff0010}, read); len(rets) > unwind.MaxFrames {
			t.Errorf("a stack of %d frames", len(rets))
		}
	}
	for i, s := range im.Segments {
		if i == 8 {
			break
		}
		im.Variable(s.Addr)
		im.Variable(s.Addr + s.MemSize - 1)
	}
	for i, s := range im.Symbols {
		if i == 16 {
			break
		}
		im.Variable(s.Addr)
	}
}
