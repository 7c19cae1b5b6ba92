package hybrid

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// scene starts flows of all kinds at random times: long ones that glide, short
// ones that do not, some with a cap, rings among them, half of them when others have
// finished, and in some scenes a link that goes down and comes back.
func scene(g *fabric.Graph, seed uint64) (s script, flows int, bytes int64) {
	r := rand.New(rand.NewPCG(seed, 7))
	h := g.Hosts()
	type start struct {
		at sim.Time
		fs []fabric.Flow
	}
	var all []start
	least := []int64{1, 4 << 20}[seed%2]
	for range 60 {
		var fs []fabric.Flow
		if r.IntN(8) == 0 {
			p := r.Perm(len(h))[:2+r.IntN(4)]
			var hosts []fabric.NodeID
			for _, i := range p {
				hosts = append(hosts, h[i])
			}
			fs = ring(hosts, int64(len(hosts))<<(18+r.IntN(5)), 1<<r.IntN(3), nil)
		} else {
			for range 1 + r.IntN(6) {
				a, b := r.IntN(len(h)), r.IntN(len(h)-1)
				if b >= a {
					b++
				}
				f := fabric.Flow{Src: h[a], Dst: h[b], Bytes: least + r.Int64N(1<<(10+r.IntN(15))), QPs: 1 + r.IntN(4), SrcPort: 50000 + uint16(r.IntN(4000))}
				if r.IntN(6) == 0 {
					f.MaxRate = sim.Rate(1+r.IntN(40)) * 5 * sim.Gbps
				}
				fs = append(fs, f)
			}
		}
		for i := range fs {
			flows++
			bytes += fs[i].Bytes
		}
		all = append(all, start{sim.Time(r.IntN(4000)) * sim.Microsecond, fs})
	}
	fault := r.IntN(3) == 0
	return func(k *sim.Kernel, n fabric.Network) {
		half := len(all) / 2
		for i, s := range all[:half] {
			then := all[half+i]
			k.After(s.at, func() {
				done := sim.NewEvent(len(s.fs))
				fs := slices.Clone(s.fs)
				for j := range fs {
					fs[j].Done = done
				}
				n.StartGroup(fs)
				done.Then(k, func() { n.StartGroup(then.fs) })
			})
		}
		if fault {
			l := fabric.LinkID(len(g.Links) - 1)
			k.After(1500*sim.Microsecond, func() { n.SetLink(l, fabric.LinkState{Down: true}) })
			k.After(2500*sim.Microsecond, func() { n.SetLink(l, fabric.LinkState{}) })
		}
	}, flows, bytes
}

// Whatever starts whenever: every flow finishes, no earlier than it could alone,
// every byte arrives once, and threads change nothing.
func TestRandomScenes(t *testing.T) {
	scenes := uint64(24)
	if testing.Short() {
		scenes = 4
	}
	glides := false
	for seed := range scenes {
		var reports [2]*fabric.Report
		for i := range reports {
			g, r := leafSpine(t, 16, 4, 2, 2)
			s, flows, bytes := scene(g, seed)
			c := packet.DefaultConfig()
			c.Seed = seed + 1
			if seed%3 == 1 {
				c.Switches[0].Buffer = 8 << 20 // pauses are near
			}
			m := measure(t, asHybrid(g, r, Config{Packet: c, Threads: 1 + i}), s)
			n := &m.rep.Counters
			if n.FlowsFinished != int64(flows) || n.BytesDelivered != bytes {
				t.Errorf("scene %d: %d of %d flows finished, %d of %d B delivered", seed, n.FlowsFinished, flows, n.BytesDelivered, bytes)
			}
			for j := range m.rep.Flows {
				// Where glides and packets take turns one may come a little early.
				if f := &m.rep.Flows[j]; f.FCT < f.Ideal-sim.Microsecond {
					t.Errorf("scene %d: flow %d of %d B took %v, alone %v", seed, j, f.Bytes, f.FCT, f.Ideal)
				}
			}
			glides = glides || m.rep.PacketBytes < n.BytesDelivered*3/4
			reports[i] = m.rep
		}
		for j := range reports[0].Flows {
			if reports[0].Flows[j].FCT != reports[1].Flows[j].FCT {
				t.Fatalf("scene %d: flow %d takes another time on two threads", seed, j)
			}
		}
		if reports[0].Counters != reports[1].Counters {
			t.Errorf("scene %d: other counters on two threads", seed)
		}
	}
	if !glides {
		t.Error("no scene glides")
	}
}
