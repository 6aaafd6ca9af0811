// Package fields reads the fields of debugging sections: numbers, LEB128, text. It names their operations (ops.go).
// Nothing that a file says makes it read beyond the section.
package fields

import "errors"

// ErrDamaged: a field reaches beyond its section.
var ErrDamaged = errors.New("damaged debug information")

// Reader reads an entry's fields; after an error all reads give 0.
type Reader struct {
	Data []byte
	Off  int
	Err  error
}

func (r *Reader) need(n int) bool {
	if r.Err == nil && n <= len(r.Data)-r.Off {
		return true
	}
	r.Err = ErrDamaged
	return false
}

// U8 reads a byte.
func (r *Reader) U8() byte { return byte(r.Uint(1)) }

// Uint reads a little-endian number of n bytes.
func (r *Reader) Uint(n int) uint64 {
	if !r.need(n) {
		return 0
	}
	v := uint64(0)
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint64(r.Data[r.Off+i])
	}
	r.Off += n
	return v
}

// Sint is Uint with its sign extended.
func (r *Reader) Sint(n int) uint64 {
	shift := 64 - 8*n
	return uint64(int64(r.Uint(n)<<shift) >> shift)
}

// Str reads text that ends with a zero byte.
func (r *Reader) Str() string {
	for i := r.Off; i < len(r.Data); i++ {
		if r.Data[i] == 0 {
			s := string(r.Data[r.Off:i])
			r.Off = i + 1
			return s
		}
	}
	r.Err = ErrDamaged
	return ""
}

func (r *Reader) leb() (v uint64, shift uint, last byte) {
	for {
		last = r.U8()
		if shift < 64 {
			v |= uint64(last&0x7f) << shift
		}
		shift += 7
		if last&0x80 == 0 || r.Err != nil {
			return v, shift, last
		}
	}
}

// Uleb reads an unsigned LEB128.
func (r *Reader) Uleb() uint64 {
	v, _, _ := r.leb()
	return v
}

// Sleb reads a signed LEB128.
func (r *Reader) Sleb() int64 {
	v, shift, last := r.leb()
	if shift < 64 && last&0x40 != 0 {
		v |= ^uint64(0) << shift
	}
	return int64(v)
}

// Skip gives the next n bytes.
func (r *Reader) Skip(n uint64) []byte {
	if n > uint64(len(r.Data)) || !r.need(int(n)) {
		r.Err = ErrDamaged
		return nil
	}
	b := r.Data[r.Off : r.Off+int(n)]
	r.Off += int(n)
	return b
}

// Rest gives the bytes that are left.
func (r *Reader) Rest() []byte {
	if r.Err != nil {
		return nil
	}
	return r.Data[r.Off:]
}
