package packet

import "github.com/simnet/simnet/sim"

// The kinds of packet.
const (
	kindData uint8 = iota
	kindAck
	kindNack
	kindCNP
	kindPause
)

// Flags of a packet.
const (
	flagECN    uint8 = 1 << iota // congestion experienced
	flagAckReq                   // the receiver must answer
	flagRetx                     // sent before
	flagEcho                     // ACK that stands for a marked packet (Compat)
)

// packet is what a hop needs of a frame, in 16 bytes: four share a cache line.
// Packets live in the arena of a shard and are named by index.
type packet struct {
	next int32 // link of a queue or of the free list
	path int32 // on the wire and in a queue: index into paths of what comes after the next port
	in   int32 // port that it came over, or on the wire is coming over; -1: none yet
	size uint16
	kind uint8 // and flags, in the high four bits
	q    uint8 // queue at switches
}

// body is what only the ends of its way need of a packet.
type body struct {
	seq int64 // data: offset of the first byte; ACK, NACK: bytes received in order; pause: 1 pauses, 0 resumes
	qp  int32 // pause: the port that it addresses
	aux int32 // data: port that marked it; ACK, NACK: packets marked; pause: queue
}

func (k *packet) flags() uint8 { return k.kind >> 4 }
func (k *packet) set(f uint8)  { k.kind |= f << 4 }
func (k *packet) what() uint8  { return k.kind & 15 }

// arena holds the packets of one shard. stamps and ints run beside it where
// the congestion control needs them.
type arena struct {
	pkts   []packet
	bodies []body      // by packet
	stamps []sim.Time  // when the data packet left the sender
	ints   []intRecord // in-band telemetry
	sacks  []span      // NACK of selective repeat: what has arrived
	free   int32
	live   int32
}

func newArena(stamps, ints, sacks bool) arena {
	a := arena{free: -1}
	if stamps {
		a.stamps = []sim.Time{}
	}
	if ints {
		a.ints = []intRecord{}
	}
	if sacks {
		a.sacks = []span{}
	}
	return a
}

// alloc returns the index of a packet with arbitrary content.
func (a *arena) alloc() int32 {
	a.live++
	if i := a.free; i >= 0 {
		a.free = a.pkts[i].next
		return i
	}
	if n := len(a.pkts); n == cap(a.pkts) {
		n = room(n)
		a.pkts = append(huge(make([]packet, 0, n)), a.pkts...)
		a.bodies = append(huge(make([]body, 0, n)), a.bodies...)
	}
	a.pkts = append(a.pkts, packet{})
	a.bodies = append(a.bodies, body{})
	if a.stamps != nil {
		a.stamps = append(a.stamps, 0)
	}
	if a.ints != nil {
		a.ints = append(a.ints, intRecord{})
	}
	if a.sacks != nil {
		a.sacks = append(a.sacks, span{})
	}
	return int32(len(a.pkts) - 1)
}

// room returns how many packets to make room for when there are n. What is large
// comes from the system untouched and costs nothing until it is used, other than
// the copies.
func room(n int) int {
	if n < 1<<15 { // 1 MB
		return max(64, 2*n)
	}
	return 4 * n
}

func (a *arena) release(i int32) {
	a.live--
	a.pkts[i].next = a.free
	a.free = i
}
