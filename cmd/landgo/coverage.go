package main

import (
	"bytes"

	"landgo/internal/format"
	"landgo/internal/host"
	"landgo/internal/result"
)

// writeCoverage writes coverage for editors, whole or not at all.
func writeCoverage(path string, c *result.Coverage) error {
	var b bytes.Buffer
	if err := format.LCOV(&b, c); err != nil {
		return err
	}
	if err := host.WriteWhole(path, b.Bytes()); err != nil {
		return result.Errorf(result.Unwritable, "can't write the coverage %s: %w", path, err)
	}
	return nil
}
