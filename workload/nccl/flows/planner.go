package flows

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
)

// Options say how flows use the network.
type Options struct {
	Job   string
	Class fabric.Class
	// Routes and Framing tell what the network alone takes for a hop, which the
	// latencies of the cost model include.
	Routes  *fabric.Routes
	Framing fabric.Framing
}

// Planner makes the flows of the calls of one communicator, all of whose ranks
// are those of the model's shape.
type Planner struct {
	m     *nccl.Model
	shape nccl.Shape
	nics  [][]fabric.NodeID // by node, then rail
	rail  [][]int           // by node, then GPU: the rail of its NIC
	half  int               // channels of NCCL's search; the others are copies
	o     Options
}

// New returns a planner for a communicator whose rank r runs on the GPU with
// NIC gpus[r], in the order of the shape: node by node. The error says in what
// the placement and the shape differ.
func New(m *nccl.Model, gpus []fabric.NodeID, o Options) (*Planner, error) {
	s := m.Shape()
	if len(gpus) != s.Ranks() {
		return nil, fmt.Errorf("nccl: %d GPUs for %d ranks", len(gpus), s.Ranks())
	}
	p := &Planner{m: m, shape: s, half: max(1, (m.MaxChannels()+1)/2), o: o}
	g := s.GPUsPerNode
	for n := range s.Nodes {
		index := map[fabric.NodeID]int{}
		var nics []fabric.NodeID
		rail := make([]int, g)
		for i, nic := range gpus[n*g : (n+1)*g] {
			r, ok := index[nic]
			if !ok {
				r = len(nics)
				index[nic] = r
				nics = append(nics, nic)
			}
			rail[i] = r
		}
		// NCCL_IB_HCA may leave fewer.
		if k := s.NICsPerNode; k > 0 && len(nics) > k {
			nics = nics[:k]
			for i := range rail {
				rail[i] %= k
			}
		}
		if n > 0 && len(nics) != len(p.nics[0]) {
			return nil, fmt.Errorf("nccl: node %d has %d NICs and node 0 has %d: channels need as many on every node", n, len(nics), len(p.nics[0]))
		}
		p.nics, p.rail = append(p.nics, nics), append(p.rail, rail)
	}
	return p, nil
}

// Plan is one call: flows that start together, and the time of a call that has
// none.
type Plan struct {
	Choice nccl.Choice
	Parts  nccl.Parts // of the cost model
	Flows  []fabric.Flow
	// Lead is what passes before the first byte leaves: host, kernel launch,
	// steps inside the nodes, pipelines filling. Each flow has it as its Delay.
	Lead sim.Time
	// Idle is what the network takes for the flows when nothing else uses it
	// and it carries every cap.
	Idle sim.Time
}

// Plan returns the flows of one call of bytes, as nccl-tests counts them, with
// the given choice. The error says which hosts no path joins.
func (p *Planner) Plan(c nccl.Collective, bytes int64, ch nccl.Choice) (*Plan, error) {
	pl := &Plan{Choice: ch, Parts: p.m.PartsOf(c, bytes, ch)}
	b := builder{p: p, ch: ch, label: c.String()}
	if p.shape.Nodes > 1 && bytes > 0 {
		switch {
		case c == nccl.AllToAll:
			b.allToAll(bytes)
		case c == nccl.SendRecv:
			b.sendRecv(bytes)
		case c == nccl.Broadcast || c == nccl.Reduce:
			b.chains(c, bytes)
		case ch.Algo == nccl.Tree || ch.Algo == nccl.NVLSTree:
			b.trees(bytes)
		case ch.Algo == nccl.PAT:
			b.pat(c, bytes)
		default:
			b.rings(c, bytes)
		}
	}
	pl.Flows, pl.Lead = b.flows, pl.Parts.Total()
	if len(b.flows) == 0 {
		return pl, nil
	}
	b.cap(pl.Parts.Wire)
	pipe, sender, err := b.pipe()
	if err != nil {
		return nil, err
	}
	// What the network adds by itself is in the latencies of the cost model
	// already. A network that adds more keeps it.
	pl.Idle = sender + b.idle(pipe)
	pl.Lead = max(pl.Parts.Host, pl.Lead-pl.Idle)
	for i := range b.flows {
		b.flows[i].Delay = pl.Lead
	}
	return pl, nil
}

// Start runs the call at the kernel's now; done gets the arrivals that it is
// told to expect.
func (pl *Plan) Start(k *sim.Kernel, net fabric.Network, done *sim.Event) {
	if len(pl.Flows) == 0 {
		done.Expect(1)
		k.After(pl.Lead, func() { done.Arrive(k) })
		return
	}
	done.Expect(len(pl.Flows))
	for i := range pl.Flows {
		pl.Flows[i].Done = done
	}
	net.StartGroup(pl.Flows)
}
