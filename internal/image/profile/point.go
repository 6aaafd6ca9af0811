package profile

import (
	"fmt"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/static"
	"landgo/internal/yaml"
)

// PointPlace says where the preemption point of a function is that lets others go, in a
// kernel.
type PointPlace uint8

const (
	// AfterCall: behind the call, in the caller.
	AfterCall PointPlace = iota
	// AtReturn: before the function's own return instruction.
	AtReturn
	// NoPoint: it has none, for it calls another function that has one.
	NoPoint
)

var pointPlaces = []string{"after", "return", "none"}

// releasing are the roles whose functions make a point of the kind unlock.
var releasing = []Role{MutexUnlock, CondSignal, CondBroadcast, SemPost, RWUnlock, RWDowngrade, SpinUnlock}

func (f *field) pointPlace() (PointPlace, error) {
	for i, name := range pointPlaces {
		if f.Value.Kind == yaml.Scalar && f.Value.Text == name {
			return PointPlace(i), nil
		}
	}
	return 0, unknown(f.Key.Line, fmt.Sprintf("unknown place %q of a point", f.Value.Text), f.Value.Text, pointPlaces)
}

// pointsAfter: of a guest that isn't a kernel all points are after the calls.
func (p *FileProfile) pointsAfter() error {
	for _, b := range p.Bindings {
		if b.Point != AfterCall {
			return p.at(b.Line, fmt.Sprintf("the point of %s is after its call: only a kernel's can be elsewhere", b.Name))
		}
	}
	return nil
}

// returnless says that a function with its point before its return instructions has
// none; "" if it has some, or needs none.
func returnless(info *debuginfo.Info, b *Binding) string {
	if b.Point != AtReturn {
		return ""
	}
	for _, addr := range info.FunctionsNamed(b.Name) {
		if len(static.Returns(info.File, addr)) == 0 {
			return fmt.Sprintf("no return instruction is found in %s: its point can't be there", b.Name)
		}
	}
	return ""
}
