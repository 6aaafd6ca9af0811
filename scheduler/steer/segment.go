package steer

// Where an i386 kernel's segments begin. landgo models those that begin at 0. But a kernel that is
// linked above its memory may begin with segments that take the distance off, until it has page
// tables of its own. A profile gives landgo room for page tables for such a kernel. They put its
// addresses where the segments would, and its memory's own addresses there too. So its descriptors
// are changed to begin at 0: what they do is done already. Whatever it reaches below its own
// addresses would be outside of memory by its segments.

const (
	descriptor = 8          // its bytes
	baseLow    = 0xffff0000 // in its first word
	baseHigh   = 0xff0000ff // in its second
)

// lay lays the segments of the table flat that was loaded, as far as they take off the distance that
// the loader's page tables take off.
func (k *reading) lay() {
	b := k.boardRegs()
	if k.wordSize != 4 || k.profile == nil || k.profile.Loader == nil || k.profile.Loader.Tables == 0 || b.CR3 != k.profile.Loader.Tables {
		return
	}
	above := k.profile.Loader.Above
	if above == 0 {
		above = k.image.Bias
	}
	for at := uint64(descriptor); at+descriptor-1 <= b.GDTLimit; at += descriptor {
		low, high, ok := k.descriptor(b.GDT + at)
		if ok && above != 0 && segmentBase(low, high) == -above&0xffffffff {
			k.store(b.GDT+at, low&^baseLow)
			k.store(b.GDT+at+4, high&^baseHigh)
		}
	}
}

// descriptor reads a descriptor's two words.
func (k *reading) descriptor(at uint64) (low, high uint64, ok bool) {
	low, first := k.word(at)
	high, second := k.word(at + 4)
	return low, high, first && second
}

func segmentBase(low, high uint64) uint64 { return low>>16 | high&0xff<<16 | high&0xff000000 }

// codeBase is where the code segment of an i386 kernel begins.
func (k *reading) codeBase() uint64 {
	if k.wordSize != 4 || k.user.Get() {
		return 0
	}
	b := k.boardRegs()
	low, high, ok := k.descriptor(b.GDT + b.CS&^7)
	if !ok {
		return 0
	}
	return segmentBase(low, high)
}
