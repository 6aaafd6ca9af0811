//go:build profile

package main

import (
	"os"
	"runtime/pprof"
	"time"
)

// profiles is the folder in which this engine leaves where its time goes, a file for each second:
// landgo ends an engine that is done without a word. `make profile` sets it, and runs the engine
// unconfined, for it opens files.
var profiles string

func init() {
	go func() {
		for {
			f, err := os.CreateTemp(profiles, "processor-")
			if err != nil || pprof.StartCPUProfile(f) != nil {
				return
			}
			time.Sleep(time.Second)
			pprof.StopCPUProfile()
			f.Close()
		}
	}()
}
