package debuginfo

import (
	"strings"
	"testing"

	"landgo/internal/image/imagetest"
)

// TestEvaluate: expressions have the values that the program begins with.
func TestEvaluate(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static -gdwarf-2", "-static -gdwarf-4", "-static -gdwarf-5 -O2", "-static-pie -g -O1"} {
			t.Run(l.Compiler+" "+flags, func(t *testing.T) {
				info := open(t, l.Compiler, "values.c", flags)
				for _, c := range []struct{ text, want string }{
					{"number", "-5"},
					{"small", "200"},
					{"letter", `97 'a'`},
					{"yes", "true"},
					{"half", "0.5"},
					{"quarter", "0.25"},
					{"hue", "GREEN"},
					{"grid", "{{1, 2, 3}, {4, 5, 6}}"},
					{"grid[1]", "{4, 5, 6}"},
					{"grid[1][2]", "6"},
					{"*grid", "{1, 2, 3}"},
					{"grid[number_of]", "{4, 5, 6}"},
					{"pool[0]", `{next = 0, value = 7, name = "abc", low = 2, high = 9, {either = 3, or = 3}}`},
					{"pool[0].name", `"abc"`},
					{"pool[0].high", "9"},
					{"pool[0].or", "3"},
					{"(pool[1]).value", "-3"},
					{"lock", "{pthread_mutex_t}"},
					{"deep", "{in = {in = {in = {...}}}}"},
					{"deep.in.in.in.last", "4"},
					{"atomic", "9"},
					{"many", "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...}"},
					{"main::inner", "31"},
					{"inner", "31"},
					{"0x10", "0x10"},
				} {
					if got, err := info.Evaluate(c.text, asLoaded(info), nil); err != nil || got != c.want {
						t.Errorf("%s = %q, %v; want %q", c.text, got, err, c.want)
					}
				}
				for text, want := range map[string]string{
					"":                       "no variable's name",
					"nothing":                `no global or static variable "nothing"`,
					"grid[2]":                "[2] is beyond its 2 elements",
					"pool[0].gone":           `no field "gone"`,
					"number.field":           "isn't a structure",
					"grid[":                  "no variable's name",
					"grid[0":                 "a ] is missing",
					"(number":                "a ) is missing",
					"number + 1":             `"+ 1" isn't understood behind "number"`,
					"pool->":                 "a field's name is missing",
					"*0x3":                   "nothing is mapped at 0x3",
					"&0x3":                   "& takes what has an address",
					"*half":                  "nothing is mapped",
					"*hue":                   "it isn't a pointer",
					"pool[0].next.":          "name is missing",
					"99999999999999999999":   "is no number",
					strings.Repeat("*", 100): "too deep",
				} {
					if got, err := info.Evaluate(text, asLoaded(info), nil); err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s = %q, %v; want an error with %q", text, got, err, want)
					}
				}
			})
		}
	}
}

// asLoaded is the memory with which the program begins.
func asLoaded(info *Info) Memory {
	return func(addr, size uint64) []byte {
		b := make([]byte, min(size, 1<<16))
		if !info.Holds(addr, uint64(len(b))) {
			return nil
		}
		copy(b, info.Bytes(addr, len(b)))
		return b
	}
}

// FuzzEvaluate: no text fails otherwise than by an error.
func FuzzEvaluate(f *testing.F) {
	info := open(f, imagetest.Libcs[0].Compiler, "values.c", "-static -gdwarf-5 -O2")
	for _, text := range []string{"grid[1][2]", "pool[0].next->name", "&*(pool)", "main::inner", "*0x10", "deep.in.in"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		info.Evaluate(text, asLoaded(info), nil)
	})
}
