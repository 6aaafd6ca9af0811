package elffile

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// digest is the SHA-256 of what a reader has, in hex.
func digest(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digesting works out the digest of a file while the caller looks at it. The reader is the
// caller's alone again once the digest was asked for.
func digesting(r io.ReaderAt, size int64) func() (string, error) {
	done := make(chan error, 1)
	var sum string
	go func() {
		var err error
		sum, err = digest(io.NewSectionReader(r, 0, size))
		done <- err
	}()
	return func() (string, error) { err := <-done; return sum, err }
}
