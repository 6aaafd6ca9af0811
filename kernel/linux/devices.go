package linux

// device is a character device that every Linux has.
type device int

const (
	noDevice  device = iota
	devNull          // it is at its end, and swallows what is written
	devZero          // zeros
	devFull          // zeros, and nothing can be written
	devRandom        // as getrandom
	devURandom
)

var deviceNames = [...]string{devNull: "null", devZero: "zero", devFull: "full", devRandom: "random", devURandom: "urandom"}

// deviceNumbers are Linux's: all are minor numbers of device 1.
var deviceNumbers = [...]uint64{devNull: 0x103, devZero: 0x105, devFull: 0x107, devRandom: 0x108, devURandom: 0x109}

// device is the device that a use has open, noDevice for anything else.
func (c *call) device(use uint64) device {
	if use < useFile {
		return noDevice
	}
	return c.k.files.of(use).device
}

func (f *files) isDevice(path string) bool {
	i, found := f.byPath[path]
	return found && f.known[i].device != noDevice
}

// gives has the bytes that a read of n bytes gets from a device.
func (c *call) gives(d device, n uint64) []byte {
	switch d {
	case devZero, devFull:
		return make([]byte, min(n, maxFileSize))
	case devRandom, devURandom:
		return c.random(min(n, maxFileSize))
	}
	return nil
}
