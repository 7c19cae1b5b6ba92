package training

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Ideal is a non-blocking network: a flow takes its delay, the latency, and its
// bytes at the rate of its NIC, which the flows of one group that leave by it
// share; a relay in a ring of equals stalls where its lag does not cover the
// latency.
type Ideal struct {
	K       *sim.Kernel
	Rate    sim.Rate // of a NIC, goodput
	Latency sim.Time // one way, message to message

	flows fabric.FlowID
	slots []*sim.Event // arrivals to come, by slot
	free  []uint32
	queue *sim.Wheel
	load  []int32 // flows of the group at hand, by NIC
	seq   uint64
}

// NewIdeal returns the network, attached to k.
func NewIdeal(k *sim.Kernel, rate sim.Rate, latency sim.Time) *Ideal {
	n := &Ideal{K: k, Rate: rate, Latency: latency, queue: sim.NewWheel(20, 12)}
	k.Attach(n)
	return n
}

// SetLink does nothing: there are no links.
func (n *Ideal) SetLink(fabric.LinkID, fabric.LinkState) {}

// StartGroup starts flows. Arrivals of one event at one instant are kept as
// they are: the event counts them.
func (n *Ideal) StartGroup(flows []fabric.Flow) []fabric.FlowID {
	ids := make([]fabric.FlowID, len(flows))
	for i := range flows {
		n.count(flows[i].Src, 1)
	}
	for i := range flows {
		f := &flows[i]
		rate := n.Rate / sim.Rate(n.load[f.Src])
		if f.MaxRate > 0 && f.MaxRate < rate {
			rate = f.MaxRate
		}
		d := f.Delay + n.Latency + rate.TxTime(f.Bytes)
		if len(f.Upstream) > 0 {
			// In a ring of equals, what a rank may send follows what it sent one
			// latency ago: it stalls once per lag if the lag is gone before.
			if lag := rate.TxTime(f.Lag); lag < n.Latency {
				d += (n.Latency - lag) * sim.Time((f.Bytes-1)/f.Lag)
			}
		}
		n.push(n.K.Now()+d, f.Done)
		ids[i] = n.flows
		n.flows++
	}
	for i := range flows {
		n.load[flows[i].Src] = 0
	}
	return ids
}

func (n *Ideal) count(nic fabric.NodeID, by int32) {
	for int(nic) >= len(n.load) {
		n.load = append(n.load, 0)
	}
	n.load[nic] += by
}

func (n *Ideal) push(at sim.Time, done *sim.Event) {
	var s uint32
	if k := len(n.free); k > 0 {
		s = n.free[k-1]
		n.free = n.free[:k-1]
		n.slots[s] = done
	} else {
		s = uint32(len(n.slots))
		n.slots = append(n.slots, done)
	}
	n.seq++
	n.queue.Push(sim.Item{At: at, Key: sim.MakeKey(0, n.seq, 0), Target: s})
}

// Next returns the time of the earliest arrival.
func (n *Ideal) Next() sim.Time { return n.queue.Peek() }

// Advance lets the arrivals of the next instant happen.
func (n *Ideal) Advance(limit sim.Time) {
	at := n.queue.Peek()
	if at > limit {
		return
	}
	n.K.AdvanceTo(at)
	for n.queue.Peek() == at {
		it, _ := n.queue.Pop()
		done := n.slots[it.Target]
		n.slots[it.Target] = nil
		n.free = append(n.free, it.Target)
		done.Arrive(n.K)
	}
}
