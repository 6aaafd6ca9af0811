package emu

import "testing"

// TestWithoutEngine: a machine without a processor has memory that goes back.
func TestWithoutEngine(t *testing.T) {
	m, err := New(Config{Space: 1 << 20, Code: []Range{{Lo: 0x1000, Hi: 0x2000}}, NoEngine: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var c Cell
	k := m.Mark()
	m.Write64(0x8000, 5)
	m.Put(&c, 6)
	if m.Read64(0x8000) != 5 || c.Get() != 6 {
		t.Fatalf("%d, %d", m.Read64(0x8000), c.Get())
	}
	if m.Rewind(k); m.Read64(0x8000) != 0 || c.Get() != 0 {
		t.Errorf("after a rewind: %d, %d", m.Read64(0x8000), c.Get())
	}
}
