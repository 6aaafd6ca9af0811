package host

import (
	"fmt"
	"os"
	"sync"
)

// Build names this build of the program, by its file's size and time; "" if that can't
// be asked. A process that is to be confined asks before.
var Build = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
})
