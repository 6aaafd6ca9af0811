package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"strings"
)

// Unseen says why calls of a function can't all be seen at its entry; "" if they
// can, as far as the debug information and the symbols tell.
func (d *Info) Unseen(name string) string {
	for i := range d.Functions {
		for _, clone := range []string{".constprop.", ".isra."} {
			if strings.HasPrefix(d.Functions[i].Name, name+clone) {
				return fmt.Sprintf("the compiler has made %s of %s: declare that noinline, noclone", d.Functions[i].Name, name)
			}
		}
	}
	around := ""
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	if d.data == nil {
		return ""
	}
	d.guard(func() error {
		r := d.reader()
		function := ""
		for {
			e, err := r.Next()
			if err != nil || e == nil {
				return err
			}
			switch e.Tag {
			case dwarf.TagSubprogram:
				function = d.name(e)
			case dwarf.TagInlinedSubroutine:
				// A copy in the function itself is a part of its body.
				if d.name(e) == name && function != name {
					around = function
					return nil
				}
			}
		}
	})
	if around == "" {
		return ""
	}
	return fmt.Sprintf("the compiler has put %s into %s, where its calls can't be seen: declare it noinline", name, around)
}
