package limits

import (
	"testing"
	"time"
)

// TestProcessorTime: the processor's time stands still while nothing runs, and
// goes on while something does.
func TestProcessorTime(t *testing.T) {
	wall, processor := StartClock(false), StartClock(true)
	time.Sleep(60 * time.Millisecond)
	if w, p := wall.Elapsed(), processor.Elapsed(); w < 60*time.Millisecond || p > w/2 {
		t.Errorf("after 60 ms of sleep: %v on the wall, %v of the processor", w, p)
	}
	begin := processor.Elapsed()
	for n := 0; processor.Elapsed()-begin < 20*time.Millisecond; n++ {
		if n > 1e8 {
			t.Fatal("the processor's time doesn't go on while it works")
		}
	}
}
