//go:build tools

// Package landgo names the programs that `make vet` runs, so that go.mod has their versions.
package landgo

import (
	_ "golang.org/x/tools/cmd/deadcode"
	_ "honnef.co/go/tools/cmd/staticcheck"
)
