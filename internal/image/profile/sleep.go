package profile

import (
	"fmt"

	"landgo/internal/yaml"
)

// SleepTime is where a function in which threads wait for time gets the number of ticks.
type SleepTime struct {
	// Argument is the position of the number among the function's arguments, from 0; -1:
	// it isn't known. Size is how many bytes it has; 0: a register's.
	Argument int
	Size     uint64
}

var sleepKeys = []string{"name", "arguments", "size"}

// sleeps are functions in which threads wait for time: one or a list, each a name or a
// mapping that says where the number of ticks is.
func (f *field) sleeps() (list []Binding, err error) {
	items := f.Value.Items
	if f.Value.Kind == yaml.Scalar || f.Value.Kind == yaml.Mapping {
		items = []yaml.Node{f.Value}
	}
	if len(items) == 0 {
		return nil, wrong(f.Key.Line, "%s has to be a function or a list of functions; this is %v", f.Key.Text, f.Value.Kind)
	}
	for i := range items {
		b, err := bindingOf(&items[i], NoRole, 1, sleepKeys)
		switch {
		case err != nil:
			return nil, err
		case b.Size != 0 && b.Args == nil:
			return nil, wrong(b.Line, "the function has a size, and no arguments: it is that of the argument with the number of ticks")
		case b.Size != 0 && b.Size != 4 && b.Size != 8:
			return nil, wrong(b.Line, "want a number of ticks of 4 or 8 bytes, got %d", b.Size)
		}
		list = append(list, b)
	}
	return list, nil
}

// sleeps finds these functions.
func (f *finder) sleeps(out *OwnKernel, list []Binding) {
	for _, b := range list {
		if f.p.left(f.info, b.Name) {
			continue
		}
		t := SleepTime{Argument: -1, Size: b.Size}
		if b.Args != nil {
			t.Argument, out.Timed = b.Args[0]-1, true
			if why := f.info.InRegisters(b.Name); why != "" {
				f.fail(Named{Name: b.Name, Line: b.Line}, why)
			}
		}
		if last := t.Argument*int(f.info.Machine.Word()) + int(t.Size); b.Args != nil && last > maxArgument*int(f.info.Machine.Word()) {
			f.fail(Named{Name: b.Name, Line: b.Line}, fmt.Sprintf("the number of ticks ends %d bytes into the arguments of %s, which are looked at as far as %d", last, b.Name, maxArgument*int(f.info.Machine.Word())))
		}
		out.Sleep[f.function(Named{Name: b.Name, Line: b.Line})] = t
	}
}
