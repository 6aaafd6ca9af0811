package compile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Landgo builds landgo from the tree whose top is given, so that `go test` never runs
// an old one: its programs, in a folder. It returns landgo's path.
func Landgo(top, dir string) (string, error) {
	for name, cgo := range map[string]string{"landgo": "0", "landgo-engine": "1", "landgo-class": "0"} {
		flags := ""
		if cgo == "1" {
			flags = fmt.Sprintf(`-extld "%s"`, filepath.Join(top, "internal/setup/link.sh")) // as the Makefile does
		}
		build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", flags, "-o", filepath.Join(dir, name), "./cmd/"+name)
		build.Dir, build.Env = top, append(os.Environ(), "CGO_ENABLED="+cgo)
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %v\n%s", err, out)
		}
	}
	return filepath.Join(dir, "landgo"), nil
}
