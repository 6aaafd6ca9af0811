package scheduler

import (
	"fmt"
	"strconv"
	"strings"
)

// Formatted renders the message of a function like panic(format, ...): next gives its
// arguments, one after the other, the format first, and str reads its strings. A conversion that
// it doesn't know (a floating-point number) is left as it stands, and so is all that follows,
// because the arguments can't be told apart then.
func Formatted(wordSize uint64, str func(uint64) string, next func() uint64) string {
	f := str(next())
	var out strings.Builder
	for {
		i := strings.IndexByte(f, '%')
		if i < 0 {
			out.WriteString(f)
			return out.String()
		}
		out.WriteString(f[:i])
		spec := f[i:]
		n := 1 + len(spec[1:]) - len(strings.TrimLeft(spec[1:], "0123456789-+ #."))
		flags := spec[1:n]
		long := 0
		for n < len(spec) && strings.IndexByte("lhz", spec[n]) >= 0 {
			long += b2i(spec[n] != 'h')
			n++
		}
		if n == len(spec) {
			out.WriteString(spec)
			return out.String()
		}
		number := func() uint64 {
			if v := next(); long > 0 {
				return v
			} else {
				return uint64(uint32(v))
			}
		}
		switch spec[n] {
		case '%':
			out.WriteByte('%')
		case 's':
			fmt.Fprintf(&out, "%"+flags+"s", str(next()))
		case 'c':
			out.WriteByte(byte(next()))
		case 'd', 'i':
			v := int64(number())
			if long == 0 || wordSize == 4 {
				v = int64(int32(v))
			}
			fmt.Fprintf(&out, "%"+flags+"d", v)
		case 'u':
			fmt.Fprintf(&out, "%"+flags+"d", number())
		case 'x', 'X', 'o':
			fmt.Fprintf(&out, "%"+flags+spec[n:n+1], number())
		case 'p':
			out.WriteString("0x" + strconv.FormatUint(next(), 16))
		default:
			out.WriteString(spec)
			return out.String()
		}
		f = spec[n+1:]
	}
}
