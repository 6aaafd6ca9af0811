package corrupt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// JSON breaks values of a JSON text, and now and then its form.
func JSON(b []byte, r *rand.Rand) []byte { return breakText(b, r, jsonValues) }

// YAML breaks values of a YAML text, and now and then its form.
func YAML(b []byte, r *rand.Rand) []byte { return breakText(b, r, yamlValues) }

var numbers = []string{"0", "-1", "1", "255", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807", "18446744073709551615", "18446744073709551616", "1e308", "1e999", "-0.5", "0x10", "NaN"}

var jsonValues = append([]string{
	`""`, `"\u0000"`, `"\ud800"`, `"\u001b[2J"`, `"../../etc/passwd"`, `"/dev/zero"`, `null`, `true`, `[]`, `{}`, `[[]]`, `[null]`, `{"":{}}`, `"AAAA"`, `"////"`, `[0,0,0]`,
}, numbers...)

var yamlValues = append([]string{
	"", "~", "''", `"\x1b[2J"`, "[]", "{}", "[a, b]", "{a: b}", "&a x", "*a", "!!binary x", "|\n  x", ">\n  x", "? x", "- x", "<<: x", "a: b: c", "\t", "@", "%x", "main", "lock",
}, numbers...)

// breakText puts other values in the place of scalars, or pieces in other places.
func breakText(b []byte, r *rand.Rand, values []string) []byte {
	for range 1 + r.IntN(4) {
		words := scalars(b)
		if len(words) == 0 {
			return b
		}
		w := words[r.IntN(len(words))]
		value := values[r.IntN(len(values))]
		switch r.IntN(12) {
		case 0:
			value = strings.Repeat(value, 1+r.IntN(50))
		case 1:
			open := []string{"[", "{", `{"a":`, "- ", "("}[r.IntN(5)]
			value = strings.Repeat(open, 1<<r.IntN(15))
		case 2: // a scalar that stands elsewhere
			v := words[r.IntN(len(words))]
			value = string(b[v.lo:v.hi])
		case 3: // a scalar that is broken itself
			v := append([]byte(nil), b[w.lo:w.hi]...)
			v[r.IntN(len(v))] ^= 1 << r.IntN(8)
			value = string(v)
		case 4: // a list many times as long
			value = string(bytes.Repeat(append(b[w.lo:w.hi:w.hi], ','), 1<<r.IntN(10))) + "0"
		case 5:
			b = b[:r.IntN(len(b)+1)]
			continue
		}
		b = bytes.Join([][]byte{b[:w.lo], []byte(value), b[w.hi:]}, nil)
	}
	return b
}

// scalars are the words, numbers and strings of a text.
func scalars(b []byte) (list []span) {
	const between = " \t\r\n,:[]{}"
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case strings.IndexByte(between, c) >= 0:
			i++
		case c == '"':
			end := bytes.IndexByte(b[i+1:], '"')
			if end < 0 {
				return append(list, span{i, len(b)})
			}
			list = append(list, span{i, i + end + 2})
			i += end + 2
		default:
			n := bytes.IndexAny(b[i:], between)
			if n < 0 {
				n = len(b) - i
			}
			list = append(list, span{i, i + n})
			i += n
		}
	}
	return list
}

// Schedule breaks a schedule's text.
func Schedule(b []byte, r *rand.Rand) []byte {
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b) + 1)
		piece := []string{"@", "+", "/", ",", ".", ":", "0", "s1:", "-1", "\x00", fmt.Sprint(r.Uint64()), "99999999999999999999", strings.Repeat("0.", 1<<r.IntN(12)), strings.Repeat(",0@1", 1<<r.IntN(12))}[r.IntN(14)]
		end := min(at+r.IntN(4), len(b))
		b = bytes.Join([][]byte{b[:at], []byte(piece), b[end:]}, nil)
	}
	return b
}

// Binary breaks a form of numbers, lengths and bytes one after the other.
func Binary(b []byte, r *rand.Rand) []byte {
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		if r.IntN(3) == 0 {
			at = r.IntN(min(len(b), 256))
		}
		switch r.IntN(6) {
		case 0, 1:
			n := []int{1, 1, 2, 4, 8}[r.IntN(5)]
			put(b, at, n, boundary(r, n, len(b), get(b, at, n)))
		case 2:
			for n := r.IntN(12); n > 0 && at < len(b); n, at = n-1, at+1 {
				b[at] = 0x80 | byte(r.Uint32())
			}
		case 3:
			from := r.IntN(len(b))
			n := min(1+r.IntN(64), len(b)-at, len(b)-from)
			copy(b[at:at+n], b[from:from+n])
		case 4:
			b = append(b[:at], b[min(at+1+r.IntN(8), len(b)):]...)
		default:
			b = b[:at]
		}
	}
	return b
}
