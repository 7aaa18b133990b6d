package fstest

import (
	"net"
	"testing"
)

// TestPort: a server may listen at the port by its number, again and again.
func TestPort(t *testing.T) {
	address := net.JoinHostPort("127.0.0.1", Port(t))
	for range 3 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			t.Fatal("somebody listens there")
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := net.Dial("tcp", address); err != nil {
			t.Error(err)
		} else {
			c.Close()
		}
		l.Close()
	}
}
