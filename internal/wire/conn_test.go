package wire

import (
	"io"
	"testing"
)

// TestClosed: an end that was closed while others use it gives its descriptor back when
// they are done with it. Then nothing comes from, or goes to, a socket that got the number.
func TestClosed(t *testing.T) {
	for range 200 {
		near, file, err := Pair()
		if err != nil {
			t.Fatal(err)
		}
		far, err := Of(file)
		if err != nil {
			t.Fatal(err)
		}
		over := make(chan error)
		go func() {
			var m ToEngine
			_, err := near.Receive(&m)
			over <- err
		}()
		near.Close()
		next, other, err := Pair() // of the number, if it is free
		if err != nil {
			t.Fatal(err)
		}
		peer, err := Of(other)
		if err != nil {
			t.Fatal(err)
		}
		if near.Send(ToEngine{Leave: true}) == nil {
			t.Fatal("a closed end sends")
		}
		peer.Send(ToEngine{Leave: true})
		if err := <-over; err != io.EOF {
			t.Fatalf("a closed end receives: %v", err)
		}
		var m ToEngine
		if _, err := next.Receive(&m); err != nil || !m.Leave {
			t.Fatalf("what was sent to the next one: %+v %v", m, err)
		}
		for _, c := range []*Conn{near, near, far, next, peer} {
			c.Close()
		}
	}
}
