package grade

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"landgo/internal/result"
)

// systemLibraries are the C and C++ libraries of systems, with their dynamic linkers.
var systemLibraries = []string{
	"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux.so.2", "/lib/ld-musl-*.so.1", "/lib*/libc.so.6", "/lib*/*-linux-gnu/libc.so.6",
	"/lib*/libm.so.6", "/lib*/*-linux-gnu/libm.so.6", "/usr/lib*/libstdc++.so.6", "/usr/lib*/*-linux-gnu/libstdc++.so.6",
	"/lib*/libgcc_s.so.1", "/lib*/*-linux-gnu/libgcc_s.so.1", "/lib*/libpthread.so.0", "/lib*/*-linux-gnu/libpthread.so.0",
}

// VersionOf is the version that outcomes are kept for, and that workers of one class
// have in common. It has landgo's version, the engine's very program, and the libraries
// by which a dynamically linked program runs.
func VersionOf(engine string) (string, error) {
	h := sha256.New()
	if engine != "" {
		if err := hashFile(h, engine); err != nil {
			return "", result.FileError(err)
		}
	}
	seen := map[string]bool{} // sums: places of the same files differ among systems
	for _, pattern := range systemLibraries {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		for _, path := range paths {
			own := sha256.New()
			if err := hashFile(own, path); err == nil { // one that can't be read runs nothing
				seen[filepath.Base(path)+" "+hex.EncodeToString(own.Sum(nil))] = true
			}
		}
	}
	var all []string
	for line := range seen {
		all = append(all, line)
	}
	sort.Strings(all)
	fmt.Fprintf(h, "%q", all)
	return result.Version + " " + hex.EncodeToString(h.Sum(nil)), nil
}

func hashFile(to io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}
