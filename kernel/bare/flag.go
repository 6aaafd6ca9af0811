package bare

// flag is a yes or no of a device's state. Only turn changes it, by the machine's log.
type flag uint64

func (f flag) on() bool { return f != 0 }

func (b *Board) turn(f *flag, on bool) { b.m.Set((*uint64)(f), uint64(b2i(on))) }
