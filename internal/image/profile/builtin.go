package profile

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"landgo/internal/image/debuginfo"
)

// Profiles of kernels that landgo knows. They are ordinary ones: a user's own copy of
// one, given as a profile, means the same.

//go:embed profiles/*.yaml
var builtInFiles embed.FS

const builtInDir = "profiles"

// builtIn is one of them: its text, read when it is asked for. Most guests are none of
// these kernels, which a symbol tells.
type builtIn struct {
	// sign is a symbol that all its guests have.
	sign string
	read func() *FileProfile
}

// builtIns are all of them, by the names of their files.
var builtIns = sync.OnceValue(func() (all []builtIn) {
	files, err := builtInFiles.ReadDir(builtInDir)
	for _, f := range files {
		var text []byte
		if text, err = builtInFiles.ReadFile(path.Join(builtInDir, f.Name())); err != nil {
			break
		}
		_, symbols, _ := strings.Cut(string(text), "\n  symbols: [")
		sign, _, _ := strings.Cut(symbols, ",")
		all = append(all, builtIn{sign, sync.OnceValue(func() *FileProfile {
			p, err := Parse(f.Name(), text)
			if err != nil {
				panic(fmt.Sprintf("a built-in profile: %v", err))
			}
			p.File = p.Name + " (built in)"
			return p
		})})
	}
	if err != nil {
		panic(fmt.Sprintf("a built-in profile: %v", err))
	}
	return all
})

// Known is the built-in profile that is for the guest; nil if none is. It needn't fit.
func Known(info *debuginfo.Info) *FileProfile {
	for _, b := range builtIns() {
		if !info.Has(b.sign) {
			continue
		}
		if p := b.read(); p.For.unmet(info) == nil {
			return p
		}
	}
	return nil
}

// BuiltIn is the profile of a kernel that landgo knows by its names, for a user without
// one. It is nil for any other guest. The error says why a known kernel is built in
// another way than its profile expects; it is a *Error.
func BuiltIn(info *debuginfo.Info) (*FileProfile, error) {
	p := Known(info)
	if p == nil {
		return nil, nil
	}
	if err := p.Fits(info); err != nil {
		return nil, err
	}
	return p, nil
}
