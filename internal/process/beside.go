package process

import (
	"os"
	"path/filepath"

	"landgo/internal/result"
)

// Name is the name of the engine's program.
const Name = "landgo-engine"

// Path is the path of the engine.
func (p *Engine) Path() (string, error) {
	if p.Program != "" {
		return p.Program, nil
	}
	return Beside(Name)
}

// executable is the path of the program that runs, by /proc.
var executable = os.Executable

// Beside is the path of another program of landgo's: beside landgo, or where
// `make install` puts it.
func Beside(program string) (string, error) {
	self, err := executable()
	if err != nil {
		return "", result.Errorf(result.BadEngine, "where %s lies isn't known, for this system doesn't say where landgo does (%w): mount -t proc proc /proc", program, err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	dir := filepath.Dir(self)
	for _, name := range []string{filepath.Join(dir, program), filepath.Join(dir, "..", "libexec", "landgo", program)} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name, nil
		}
	}
	return "", result.Errorf(result.BadEngine, "%s isn't beside %s", program, self)
}
