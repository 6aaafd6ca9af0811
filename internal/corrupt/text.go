package corrupt

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
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

// JSONValues gives values of a JSON text other ones of the same type: numbers, words,
// truths, bytes in base64, elements of lists.
func JSONValues(b []byte, r *rand.Rand) []byte {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var top any
	if d.Decode(&top) != nil {
		return b
	}
	for range 1 + r.IntN(3) {
		places := leaves(nil, &top, func(v any) { top = v })
		p := places[r.IntN(len(places))]
		p.set(sameType(p.value, r))
	}
	text, err := json.Marshal(top)
	if err != nil {
		return b
	}
	return text
}

// leaf is a value somewhere in JSON.
type leaf struct {
	value any
	set   func(any)
}

func leaves(list []leaf, at *any, set func(any)) []leaf {
	switch v := (*at).(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			value := v[k]
			list = leaves(list, &value, func(x any) { v[k] = x })
		}
	case []any:
		list = append(list, leaf{v, set})
		for i := range v {
			list = leaves(list, &v[i], func(x any) { v[i] = x })
		}
	default:
		list = append(list, leaf{v, set})
	}
	return list
}

func sameType(v any, r *rand.Rand) any {
	switch v := v.(type) {
	case json.Number:
		old, _ := strconv.ParseUint(v.String(), 10, 64)
		switch r.IntN(3) {
		case 0:
			return json.Number(fmt.Sprint(old + r.Uint64N(8) - min(old, 4)))
		case 1:
			return json.Number(fmt.Sprint(r.Uint64N(100)))
		}
		return json.Number(fmt.Sprint(boundary(r, []int{1, 2, 4, 8}[r.IntN(4)], 1000, old)))
	case bool:
		return !v
	case string:
		if raw, err := base64.StdEncoding.DecodeString(v); err == nil && len(raw) > 8 {
			return base64.StdEncoding.EncodeToString(Binary(raw, r))
		}
		return []string{"", "0", "0.1", "0.1.1", "0.99", "x", v + v, "sync", "\x1b[2J", v[:len(v)/2]}[r.IntN(10)]
	case []any:
		if len(v) == 0 {
			return v
		}
		i := r.IntN(len(v))
		switch r.IntN(3) {
		case 0:
			return slices.Delete(slices.Clone(v), i, i+1)
		case 1:
			return v[:i]
		}
		return append(slices.Clone(v), v[i])
	}
	return v
}
