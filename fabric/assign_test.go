package fabric

import (
	"hash/crc32"
	"slices"
	"testing"

	"github.com/simnet/simnet/sim"
	"pgregory.net/rapid"
)

// The paths that an Assigner finds are those of Routes.Path for the headers of
// QPHeader, on random multigraphs with links down, for every kind of hash.
func TestAssignerFollowsRoutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{}
		nh := rapid.IntRange(2, 8).Draw(t, "hosts")
		ns := rapid.IntRange(1, 6).Draw(t, "switches")
		for range nh {
			g.AddNode(Node{Kind: NIC})
		}
		for range ns {
			g.AddNode(Node{Kind: Switch})
		}
		sw := func(name string) NodeID { return NodeID(nh + rapid.IntRange(0, ns-1).Draw(t, name)) }
		for h := range nh {
			for range rapid.IntRange(1, 5).Draw(t, "ports")/4 + 1 {
				g.AddLink(NodeID(h), sw("leaf"), 100*sim.Gbps, 0)
			}
		}
		for range rapid.IntRange(ns-1, 3*ns).Draw(t, "cables") {
			if a, b := sw("a"), sw("b"); a != b {
				g.AddLink(a, b, 100*sim.Gbps, 0)
			}
		}
		g.Freeze()
		o := RouteOptions{
			Hasher: Hasher{
				Kind: HashKind(rapid.IntRange(0, 4).Draw(t, "kind")), Fields: FiveTuple,
				Seed: rapid.Uint32().Draw(t, "seed"), PerSwitch: rapid.Bool().Draw(t, "per switch"),
			},
			Descending: rapid.Bool().Draw(t, "descending"),
		}
		r := NewRoutes(g, o)
		for l := range g.Links {
			r.SetDown(LinkID(l), rapid.IntRange(0, 7).Draw(t, "down") == 0)
		}
		r.Rebuild()
		a := NewAssigner(r)
		for range 20 {
			f := &Flow{Src: NodeID(rapid.IntRange(0, nh-1).Draw(t, "src")), Dst: NodeID(rapid.IntRange(0, nh-1).Draw(t, "dst"))}
			if f.Src == f.Dst {
				continue
			}
			q := rapid.IntRange(0, 3).Draw(t, "qp")
			n := a.Number(f)
			got, err := a.Path(nil, f, n, q)
			want, wantErr := r.Path(nil, f.Src, f.Dst, QPHeader(f, n, q))
			if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
				t.Fatalf("%v: %v %v, want %v %v", f, got, err, want, wantErr)
			}
		}
	})
}

func TestAssignerCounts(t *testing.T) {
	a := NewAssigner(&Routes{})
	want := map[[2]NodeID]uint32{}
	for i := range 20_000 {
		x := sim.Mix(uint64(i))
		f := &Flow{Src: NodeID(x % 97), Dst: NodeID(x >> 32 % 89)}
		if f.Src == f.Dst {
			continue
		}
		k := [2]NodeID{f.Src, f.Dst}
		if n := a.Number(f); n != want[k] {
			t.Fatalf("%d->%d: number %d, want %d", f.Src, f.Dst, n, want[k])
		}
		want[k]++
	}
}

func TestSharesOfQueuePairs(t *testing.T) {
	for _, f := range []Flow{{Bytes: 10, QPs: 4}, {Bytes: 3, QPs: 8}, {Bytes: 1 << 30, QPs: 0}, {Bytes: 7, QPs: 7}} {
		n := f.QPCount()
		var sum, least, most int64 = 0, f.Bytes, 0
		for q := range n {
			b := f.QPBytes(q, n)
			sum, least, most = sum+b, min(least, b), max(most, b)
		}
		if sum != f.Bytes || least < 1 || most > least+1 {
			t.Errorf("%d B over %d QPs: sum %d, from %d to %d", f.Bytes, n, sum, least, most)
		}
	}
}

func TestCRCIsTheStandardOne(t *testing.T) {
	var b [13]byte
	for i := range 100 {
		for j := range b {
			b[j] = byte(sim.Mix(uint64(i*13 + j)))
		}
		for poly, tab := range map[uint32]*crcTable{crc32.IEEE: &ieee, crc32.Castagnoli: &castagnoli} {
			if got, want := crcOf(tab, &b), crc32.Checksum(b[:], crc32.MakeTable(poly)); got != want {
				t.Fatalf("%x: %08x, want %08x", b, got, want)
			}
		}
	}
}

func TestHashDoesNotAllocate(t *testing.T) {
	for _, k := range HashKinds {
		h := Hasher{Kind: k, Fields: FiveTuple}
		var x uint32
		if n := testing.AllocsPerRun(100, func() { x += h.Hash(Header{SrcIP: 1, DstIP: x}, 7) }); n > 0 {
			t.Errorf("%v: %.0f allocations", k, n)
		}
	}
}
