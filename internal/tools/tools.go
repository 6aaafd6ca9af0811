//go:build tools

// Package tools names the programs that `make vet` runs, so that go.mod has their versions.
package tools

import (
	_ "golang.org/x/tools/cmd/deadcode"
	_ "honnef.co/go/tools/cmd/staticcheck"
)
