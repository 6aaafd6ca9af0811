//go:build !linux

package main

import "os"

// openBeneath needs calls that keep a path inside a folder.
func openBeneath(dir, path string) (*os.File, error) { return nil, errNoSource }
