package image

import _ "embed"

//go:embed xv6.yaml
var xv6Profile []byte

// BuiltInName is its name.
const BuiltInName = "xv6 (built in)"

// xv6Names are symbols by which an xv6 is known.
var xv6Names = []string{"allocproc", "forkret", "scheduler", "swtch", "trapret", "kalloc", "switchuvm", "ptable"}

// BuiltIn is the profile of a kernel whose names landgo knows, for a user
// without one. It is nil if it isn't such a kernel, or is built in another way
// than the profile expects.
func (im *Image) BuiltIn() *FileProfile {
	for _, name := range xv6Names {
		if _, ok := im.Symbol(name); !ok && len(im.Objects(name)) == 0 {
			return nil
		}
	}
	p, err := ParseProfile(BuiltInName, xv6Profile)
	if err != nil || p.Fits(im) != nil {
		return nil
	}
	return p
}
