package hpcc

import (
	"math"
	"strconv"

	"github.com/simnet/simnet/sim"
)

// FCT is one line of the reference's completion times.
type FCT struct {
	Src, Dst   int
	SrcPort    uint16
	DstPort    uint16
	Bytes      int64
	Start      sim.Time
	FCT        sim.Time
	Standalone sim.Time
}

// ParseFCT reads completion times, in the order of completion: an fct.txt of
// the reference (addresses in hexadecimal, separated by blanks), or the same
// with node ids, separated by commas under a header line.
func ParseFCT(in Input) ([]FCT, error) {
	l := in.lines(true)
	l.comma = true
	const names = "src dst sport dport bytes start_ns fct_ns standalone_ns"
	var all []FCT
	for f := l.next(); f != nil; f = l.next() {
		if len(all) == 0 && f[0].text == "src" {
			continue
		}
		if len(f) == 9 { // the slowdown follows from the others
			f = f[:8]
		}
		if err := fields(f, names); err != nil {
			return nil, err
		}
		var v [8]int64
		for i := range v {
			var err error
			if v[i], err = f[i].nodeOr(i < 2); err != nil {
				return nil, err
			}
		}
		all = append(all, FCT{int(v[0]), int(v[1]), uint16(v[2]), uint16(v[3]), v[4],
			sim.Time(v[5]) * sim.Nanosecond, sim.Time(v[6]) * sim.Nanosecond, sim.Time(v[7]) * sim.Nanosecond})
	}
	return all, nil
}

// nodeOr parses a whole number, or, where address is set and the word is eight
// hexadecimal digits, the node id in an address.
func (t token) nodeOr(address bool) (int64, error) {
	if address && len(t.text) == 8 {
		if ip, err := strconv.ParseUint(t.text, 16, 32); err == nil && ip >= hostIP(0) {
			x := ip - hostIP(0)
			return int64(x>>16<<8 | x>>8&0xff), nil
		}
	}
	return t.integer("value", 0, math.MaxInt64/1000)
}

// hostIP is the address that the model gives to node id.
func hostIP(id int) uint64 { return 0x0b000001 + uint64(id/256)<<16 + uint64(id%256)<<8 }

// PauseEvent is one line of the reference's pause log: a frame as received.
type PauseEvent struct {
	At     sim.Time
	Node   int
	Switch bool
	Index  int // of the interface, from 1 in the reference
	Pause  bool
}

// ParsePFC reads a pause log: "time_ns node node_type ifindex type" a line.
func ParsePFC(in Input) ([]PauseEvent, error) {
	l := in.lines(false)
	var all []PauseEvent
	for f := l.next(); f != nil; f = l.next() {
		if err := fields(f, "time_ns node node_type ifindex type"); err != nil {
			return nil, err
		}
		var v [5]int64
		for i, high := range []int64{math.MaxInt64 / 1000, math.MaxInt32, 1, math.MaxInt32, 1} {
			var err error
			if v[i], err = f[i].integer("value", 0, high); err != nil {
				return nil, err
			}
		}
		all = append(all, PauseEvent{sim.Time(v[0]) * sim.Nanosecond, int(v[1]), v[2] == 1, int(v[3]), v[4] == 1})
	}
	return all, nil
}
