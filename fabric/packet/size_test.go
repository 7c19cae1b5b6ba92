package packet

import (
	"testing"
	"unsafe"
)

// The hot structures keep their sizes: a packet in a quarter of a cache line, a port
// in three, an account in half.
func TestSizes(t *testing.T) {
	for _, x := range []struct {
		what      string
		got, want uintptr
	}{
		{"packet", unsafe.Sizeof(packet{}), 16}, {"body", unsafe.Sizeof(body{}), 16}, {"port", unsafe.Sizeof(port{}), 192}, {"account", unsafe.Sizeof(account{}), 32},
		{"sender", unsafe.Sizeof(sender{}), 256}, {"its second line", unsafe.Offsetof(sender{}.size), 64}, {"its cold part", unsafe.Offsetof(sender{}.maxWin), 128},
		{"receiver", unsafe.Sizeof(receiver{}), 128}, {"its cold part", unsafe.Offsetof(receiver{}.flow), 64},
		{"cold part of port", unsafe.Offsetof(port{}.rnd), 64}, {"its third line", unsafe.Offsetof(port{}.kill), 128}, {"queue", unsafe.Sizeof(queue{}), 12},
	} {
		if x.got != x.want {
			t.Errorf("%s: %d B, want %d", x.what, x.got, x.want)
		}
	}
}
