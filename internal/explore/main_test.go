package explore

import (
	"os"
	"testing"
	"time"

	"landgo/internal/compile"
)

func TestMain(m *testing.M) {
	leastRefining = time.Hour // the same story, however busy the machine is
	os.Exit(compile.Main(m))
}
