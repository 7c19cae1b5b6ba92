package packet

import (
	"testing"

	"github.com/simnet/simnet/sim"
)

// A packet takes whole cells: three of 2088 B for 4178 B, half as much again,
// so that the same XOFF pauses the same burst more often. Headroom made for
// cells loses nothing.
func TestBufferCountsCells(t *testing.T) {
	var pauses []int64
	for _, cell := range []int64{0, 1, 254, 2088} {
		g, r := star(9, 100*sim.Gbps, sim.Microsecond)
		c := DefaultConfig()
		c.CC.Algorithm = None
		c.Switches[0].Buffer, c.Switches[0].XOFF, c.Switches[0].Cell = 32<<20, 20000, cell
		_, rep := run(t, g, r, c, incast(8, 1<<20+1))
		if n := rep.Counters; n.Drops != 0 || len(rep.Violations)+len(rep.Notes) > 0 {
			t.Errorf("cell %d: %d drops, violations %q", cell, n.Drops, rep.Violations)
		}
		pauses = append(pauses, rep.Counters.PFCPauses)
		if m := rep.Counters.MaxBufferBytes; cell > 1 && m%cell != 0 {
			t.Errorf("cell %d: %d B at most, no whole number of cells", cell, m)
		}
	}
	if pauses[0] != pauses[1] || pauses[3] <= pauses[1] {
		t.Errorf("pauses by cell of 0, 1, 254, 2088 B: %v", pauses)
	}
}

// The worst mixture, frames a byte longer than their cells and frames of one
// byte of payload, still fits the headroom that was computed.
func TestHeadroomHoldsSmallPackets(t *testing.T) {
	for _, payload := range []int64{1, 173, 427} { // frames of 83, 255, 509 B
		g, r := star(9, 100*sim.Gbps, 2*sim.Microsecond)
		c := DefaultConfig()
		c.CC.Algorithm = None
		c.Framing.Payload = 512
		c.Switches[0].Buffer, c.Switches[0].Cell = 2<<20, 254
		fs := incast(8, payload)
		for len(fs) < 8*1000 {
			fs = append(fs, fs[:8]...)
		}
		_, rep := run(t, g, r, c, fs)
		if n := rep.Counters; n.Drops != 0 || n.PFCPauses == 0 || len(rep.Violations)+len(rep.Notes) > 0 {
			t.Errorf("payload %d: %d drops, %d pauses, violations %q", payload, n.Drops, n.PFCPauses, rep.Violations)
		}
	}
}
