package page

import (
	"regexp"
	"slices"
	"strings"
)

// The picture has little room, so a variable loses what says whose it is there:
// "main::cache.entries of T0 main" is cache.entries, and "node.next (allocated at x.c:7)"
// node.next. Where two variables of the story would have one name, both keep their own.
// The pointer on a text shows all of it.

// shortTexts gives the rows short texts.
func (s *story) shortTexts() {
	full := map[string]string{} // by short name; "": of several
	for i := range s.rows {
		for _, name := range s.owned(s.rows[i].Text) {
			short := shortName(name, s.names)
			if known, ok := full[short]; ok && known != name {
				full[short] = ""
				continue
			}
			full[short] = name
		}
	}
	for i := range s.rows {
		r := &s.rows[i]
		r.short = nameless.ReplaceAllString(r.Text, "$1 a block")
		for _, name := range s.owned(r.Text) {
			if short := shortName(name, s.names); full[short] == name {
				r.short = strings.ReplaceAll(r.short, name, short)
			}
		}
		if m := longFailure.FindStringSubmatch(r.short); r.Fails && m != nil {
			r.short = m[1] // the page's title has it all
		}
	}
}

// block is the name of a part of a block of memory.
var block = regexp.MustCompile(`\S+ \(allocated at [^()]*\)`)

// longFailure is a failure with where exactly.
var longFailure = regexp.MustCompile(`^(.*?) (at offset |on the stack of |in the thread-local |in thread-local ).*`)

// nameless is a block with no name but its address.
var nameless = regexp.MustCompile(`^(frees|is given) 0x[0-9a-f]+$`)

// owned are the names in a text that say whose they are.
func (s *story) owned(text string) (names []string) {
	names = slices.Compact(block.FindAllString(text, -1))
	for _, label := range s.names {
		of := " of " + label
		for rest := text; ; {
			before, behind, found := strings.Cut(rest, of)
			if !found {
				break
			}
			if from := strings.LastIndexByte(before, ' ') + 1; strings.Contains(before[from:], "::") && !slices.Contains(names, before[from:]+of) {
				names = append(names, before[from:]+of)
			}
			rest = behind
		}
	}
	return names
}

// shortName is a name without the function and the thread, or the allocation.
func shortName(name string, labels []string) string {
	if part, _, ok := strings.Cut(name, " (allocated at "); ok {
		return part
	}
	pointer := ""
	if strings.HasPrefix(name, "&") {
		pointer = "&"
	}
	for _, label := range labels {
		if own, ok := strings.CutSuffix(name, " of "+label); ok {
			name = own
			break
		}
	}
	head := len(name)
	if i := strings.IndexAny(name, ".[-"); i >= 0 {
		head = i
	}
	if i := strings.LastIndex(name[:head], "::"); i >= 0 {
		name = name[i+len("::"):]
	}
	return pointer + strings.TrimPrefix(name, "&")
}
