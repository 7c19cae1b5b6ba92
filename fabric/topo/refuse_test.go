package topo

import (
	"errors"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
)

func TestRefused(t *testing.T) {
	bad := func(f func(*Base)) Base { b := base(8, 2); f(&b); return b }
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Star{bad(func(b *Base) { b.Hosts.Nodes = 0 })}, "nodes: is 0, must be at least 1"},
		{Star{bad(func(b *Base) { b.Hosts.NICs = -1 })}, "nics: is -1, must be at least 1"},
		{Star{bad(func(b *Base) { b.Hosts.Nodes = 1 << 30 })}, "nodes: 1073741824 nodes of 2 NICs are more than the 1048576 NICs supported"},
		{Star{bad(func(b *Base) { b.Link.Rate = 0 })}, "link.rate: is 0bps, must be above zero"},
		{Star{bad(func(b *Base) { b.Spine.Latency = -1 })}, "spine.latency: is -1ps, must not be negative"},
		{LeafSpine{Base: base(8, 2), Spines: 2}, "nodes_per_leaf: is 0, must be at least 1"},
		{LeafSpine{Base: base(8, 2), NodesPerLeaf: 2}, "spines: is 0, must be at least 1"},
		{LeafSpine{Base: base(8, 2), NodesPerLeaf: 2, Spines: 2, Oversubscription: -1}, "oversubscription: is -1, must be above zero"},
		{LeafSpine{Base: bad(func(b *Base) { b.Uplink = Cable{Rate: 400 * sim.Gbps} }), NodesPerLeaf: 2, Spines: 3, Oversubscription: 1},
			"oversubscription: 1 over 3 switches needs 0.6667 cables of 400Gbps to each of them, not a whole number; 1 cables give an oversubscription of 0.6667"},
		{LeafSpine{Base: base(8, 2), NodesPerLeaf: 2, Spines: 3, Oversubscription: 1},
			"oversubscription: 1 over 3 switches needs 266.667Gbps to each of them, which no whole number of 200Gbps cables or of their halves, quarters or eighths gives; change the number of switches above, or set the uplink rate"},
		{KAry{Base: base(8, 2), K: 3}, "k: is 3, must be even and at least 2"},
		{KAry{Base: base(32, 2), K: 4}, "k: is 4, which holds 16 NICs, but there are 64; k = 8 would do"},
		{FatTree{Base: base(32, 2), Tiers: 4, Radix: 8}, "tiers: is 4, must be 2 or 3"},
		{FatTree{Base: base(32, 2), Tiers: 2, Radix: 8}, "radix: is 8: two tiers hold at most 32 NICs at this oversubscription, but there are 64; use three tiers or a larger radix"},
		{FatTree{Base: base(256, 2), Tiers: 3, Radix: 8}, "radix: is 8: three tiers hold at most 128 NICs at this oversubscription, but there are 512"},
		{FatTree{Base: base(4, 2), Tiers: 2, Radix: 8, CoreOversubscription: 2}, "core_oversubscription: is set, but a network of two tiers has no core"},
		{FatTree{Base: bad(func(b *Base) { b.Uplink.Rate = 400 * sim.Gbps }), Tiers: 2, Radix: 8}, "uplink.rate: is 400Gbps, but a fat-tree of one radix has one link rate (200Gbps); use leaf-spine for faster uplinks"},
		{RailOptimized{Base: base(8, 2), NodesPerLeaf: 4, Spines: 2, Cores: 4}, "cores: is 4, but without nodes_per_pod there is no core"},
		{RailOptimized{Base: base(8, 2), NodesPerLeaf: 4, Spines: 2, NodesPerPod: 6, Cores: 4}, "nodes_per_pod: is 6, must be a multiple of nodes_per_leaf (4)"},
		{RailOptimized{Base: base(8, 2), NodesPerLeaf: 4, Spines: 2, NodesPerPod: 4, Cores: 3}, "cores: is 3, must be a multiple of the spines of a pod (2)"},
		{RailOnly{Base: base(8, 2), Spines: 2}, "spines: is 2, but each rail is a single leaf"},
		{RailOnly{Base: base(8, 2), NodesPerLeaf: 2}, "spines: is 0, must be at least 1"},
		{Dragonfly{Base: base(8, 2), A: 2, P: 2, H: 1, Groups: 4}, "groups: is 4, but 2 routers with 1 global links reach only 3 groups"},
		{Dragonfly{Base: base(8, 2), A: 4, P: 2, H: 2, Groups: 4}, "groups: is 4: the 8 global links of a group cannot be spread evenly over 3 others"},
		{Dragonfly{Base: base(80, 2), A: 4, P: 2, H: 2, Groups: 5}, "groups: is 5, which holds 40 NICs, but there are 160"},
		{Torus{Base: base(8, 2), NICsPerSwitch: 1}, "dims: is empty, must list the size of each dimension"},
		{Torus{Base: base(8, 2), Dims: []int{3, 0}, NICsPerSwitch: 1}, "dims[1]: is 0, must be at least 1"},
		{Torus{Base: base(8, 2), Dims: []int{3, 5}, NICsPerSwitch: 1}, "dims: [3 5] with 1 NICs a switch hold 15 NICs, but there are 16"},
	} {
		errs := c.spec.Validate()
		found := false
		for _, e := range errs {
			var f *FieldError
			if !errors.As(e, &f) {
				t.Errorf("%v is not a *FieldError", e)
			}
			found = found || e.Error() == c.want
		}
		if !found {
			t.Errorf("%T: %v, want %s", c.spec, errs, c.want)
		}
		if _, err := c.spec.Build(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T was built: %v", c.spec, err)
		}
	}
}
