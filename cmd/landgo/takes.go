package main

import (
	"landgo/internal/explore/config"
)

// Which options a command takes.

func runTakes(*config.Option) bool { return true }

func replayTakes(o *config.Option) bool { return o.Kept() || shows(o) || limiting(o) }

func pageTakes(o *config.Option) bool {
	return o.Name == "html" || o.Name == "quiet" || o.Name == "source" || o.OfHost() && o.Kept() || limiting(o)
}

func inspectTakes(o *config.Option) bool {
	return o.Group == config.GroupPoints || o.Group == config.GroupWorld || o.Name == "json" || o.Name == "verbose" || o.Name == "sysroot" || o.Name == "library-path" || limiting(o)
}

func exploreTakes(o *config.Option) bool {
	return o.Kept() || o.Name == "quiet" || o.Name == "source" || o.Name == "memory" || o.Name == "confine" || o.Name == "out" || o.Name == "json"
}

func debugTakes(o *config.Option) bool {
	return o.Name == "quiet" || o.Name == "memory" || o.Name == "confine" || o.OfHost() && o.Kept()
}

// limiting reports whether an option is a limit of any command that reads a guest.
func limiting(o *config.Option) bool {
	return o.Name == "time" || o.Name == "memory" || o.Name == "confine"
}

// shows reports whether an option says how a result is shown.
func shows(o *config.Option) bool {
	return o.Name == "json" || o.Name == "brief" || o.Name == "verbose" || o.Name == "quiet" || o.Name == "source" || o.Name == "html"
}
