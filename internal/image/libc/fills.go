package libc

import "strings"

// Fill is where the memory is that a caller of stdio gives it to work on.
type Fill struct {
	// Args are the arguments, from 0, that point to the filled, or parsed,
	// memory.
	Args []int
	// Format is the argument that points to a scanf's format, 0 if there is none:
	// behind it are pointers, or, with List, a va_list of them.
	Format int
	List   bool
}

// scanfFormat is Format of scanf itself, whose format is argument 0.
const scanfFormat = -1

// fills are those functions of stdio that write into memory of the program's.
var fills = map[string]Fill{}

func init() {
	for _, n := range []string{"sprintf", "vsprintf", "snprintf", "vsnprintf", "__sprintf_chk", "__vsprintf_chk", "__snprintf_chk", "__vsnprintf_chk",
		"swprintf", "vswprintf", "__swprintf_chk", "__vswprintf_chk", "asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk",
		"fgets", "gets", "fread", "fgets_unlocked", "fread_unlocked", "__fgets_chk", "__fread_chk", "__fgets_unlocked_chk", "__fread_unlocked_chk",
		"fgetws", "fgetws_unlocked", "__fgetws_chk", "__fgetws_unlocked_chk", "fmemopen"} {
		fills[n] = Fill{Args: []int{0}}
	}
	for _, n := range []string{"getline", "getdelim", "open_memstream", "open_wmemstream"} {
		fills[n] = Fill{Args: []int{0, 1}}
	}
	fills["fgetpos"] = Fill{Args: []int{1}}
	for _, before := range []string{"", "__isoc99_", "__isoc23_"} {
		for i, v := range []string{"", "v"} {
			fills[before+v+"scanf"] = Fill{Format: scanfFormat, List: i == 1}
			fills[before+v+"fscanf"] = Fill{Format: 1, List: i == 1}
			fills[before+v+"sscanf"] = Fill{Args: []int{0}, Format: 1, List: i == 1}
		}
	}
}

// Fills lists the arguments that a function of stdio fills; ok if there are any.
func Fills(name string) (f Fill, ok bool) {
	f, ok = fills[name]
	return f, ok
}

// Scanf is the place of the argument that is the format; ok if there is one.
func (f *Fill) Scanf() (arg int, ok bool) { return max(f.Format, 0), f.Format != 0 }

// ScanfPointers is how many pointers a scanf with a format takes.
func ScanfPointers(format string) (n int) {
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return n
		}
		format = format[i+1:]
		skipped := strings.HasPrefix(format, "*")
		format = strings.TrimLeft(format, "*0123456789$hlLqjztm'I")
		switch {
		case strings.HasPrefix(format, "%"):
			skipped = true
		case strings.HasPrefix(format, "["):
			format = strings.TrimPrefix(format[1:], "^")
			end := strings.IndexByte(format[min(1, len(format)):], ']') // one that comes first is of the set
			format = format[max(end, 0):]
		}
		if !skipped && format != "" {
			n++
		}
		format = format[min(1, len(format)):]
	}
}
