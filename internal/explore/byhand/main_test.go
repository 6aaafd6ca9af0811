package byhand

import (
	"os"
	"testing"

	"landgo/internal/compile"
)

func TestMain(m *testing.M) { os.Exit(compile.Main(m)) }
