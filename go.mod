module landgo

go 1.23.0

require (
	github.com/goccy/go-yaml v1.19.2
	github.com/rogpeppe/go-internal v1.14.1
	github.com/spf13/pflag v1.0.9
	golang.org/x/arch v0.20.0
	golang.org/x/sys v0.35.0
	golang.org/x/term v0.34.0
	pgregory.net/rapid v1.2.0
)

require golang.org/x/tools v0.26.0 // indirect
