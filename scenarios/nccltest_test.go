package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simnet/simnet/workload/nccl"
)

// ncclNet is eight DGX H100 on the fabric and with the NCCL variables given.
const ncclNet = `
cluster:
  nodes: 8
  node: dgx-h100
  fabric: %s
  transport: {congestion_control: none, ecn: {enabled: false}}
run: {fidelity: flow}
jobs:
  - name: a
    model: gpt3-175b
    parallel: {tp: 8, pp: 8}
    batch: {global: 8, micro: 1}
    skip_memory_check: true
    nccl: {%s}
`

const oneSwitch = "{topology: star, link: {rate: 400Gbps, length: 2m}, switch: tomahawk5}"

// ncclCase loads ncclNet and makes the model of its first nodes.
func ncclCase(t *testing.T, fabric, env string, nodes int, sets ...string) (*Valid, *nccl.Model) {
	t.Helper()
	v, err := Parse("nccl.yaml", fmt.Appendf(nil, ncclNet, fabric, env), sets)
	if err != nil {
		t.Fatal(err)
	}
	s := v.NCCLShape()
	s.Nodes = nodes
	m, err := nccl.NewModel(s, 0, v.NCCLEnv())
	if err != nil {
		t.Fatal(err)
	}
	return v, m
}

// On one switch, which nothing else uses, every collective takes the time of
// the cost model: at flow fidelity within 1.5 %, as packets within 3.5 %, where
// the pairs of an all-to-all meet in front of a receiver now and then.
func TestCollectivesAloneTakeTheCostModelsTime(t *testing.T) {
	all := []nccl.Collective{nccl.AllReduce, nccl.AllGather, nccl.ReduceScatter, nccl.Broadcast, nccl.Reduce, nccl.AllToAll, nccl.SendRecv}
	for _, c := range []struct {
		fidelity string
		within   float64
		nodes    []int
		sizes    []int64
	}{
		{"flow", .015, []int{1, 2, 3, 4, 8}, []int64{1 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30}},
		{"packet", .035, []int{2, 3}, []int64{1 << 10, 64 << 10, 1 << 20, 16 << 20}},
		{"hybrid", .035, []int{2, 3}, []int64{1 << 10, 64 << 10, 1 << 20, 16 << 20}},
	} {
		worst, at, calls := 0.0, "", 0
		for _, algo := range []string{"", "NCCL_ALGO: 'allreduce:tree'", "NCCL_ALGO: 'allreduce:nvlstree'", "NCCL_PXN_DISABLE: 1"} {
			for _, n := range c.nodes {
				if n == 1 && strings.Contains(algo, "nvlstree") {
					continue
				}
				v, m := ncclCase(t, oneSwitch, algo, n, "run.fidelity="+c.fidelity)
				for _, op := range all {
					if strings.Contains(algo, "ALGO") && op != nccl.AllReduce || strings.Contains(algo, "PXN") && op != nccl.AllToAll {
						continue
					}
					for _, b := range c.sizes {
						r, err := v.RunCollective(t.Context(), m, op, b, BuildOptions{})
						if err != nil {
							t.Fatal(err)
						}
						calls++
						e := float64(r.Time)/float64(r.Parts.Total()) - 1
						if max(e, -e) > worst {
							worst, at = max(e, -e), fmt.Sprintf("%s of %d B on %d nodes by %s", op, b, n, r.Choice)
						}
						if max(e, -e) > c.within {
							t.Errorf("%s: %s of %d B on %d nodes by %s: %v, the cost model %v (%+.1f %%)", c.fidelity, op, b, n, r.Choice, r.Time, r.Parts.Total(), 100*e)
						}
					}
				}
			}
		}
		t.Logf("%s: %d calls, largest difference %.1f %%: %s", c.fidelity, calls, 100*worst, at)
	}
}

// busBW runs an all-reduce and returns its bus bandwidth in GB/s.
func busBW(t *testing.T, fabric, env string, op nccl.Collective, sets ...string) float64 {
	t.Helper()
	v, m := ncclCase(t, fabric, env, 8, sets...)
	const bytes = 256 << 20
	r, err := v.RunCollective(t.Context(), m, op, bytes, BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return float64(bytes) / r.Time.Seconds() / 1e9 * op.BusFactor(64)
}

const leaves = "{topology: leaf-spine, nodes_per_leaf: 2, spines: 4, oversubscription: %d, link: {rate: 400Gbps, length: 2m}, switch: tomahawk5}"

// Between nodes of different leaves half of a ring's hops cross the spines. With
// uplinks at a quarter of what the leaves take in, no routing gives those hops
// more than half of their NICs; hashing gives them less.
func TestOversubscriptionShowsInBusBandwidth(t *testing.T) {
	ring := "NCCL_ALGO: Ring, NCCL_PROTO: Simple"
	star := busBW(t, oneSwitch, ring, nccl.AllReduce)
	// Rings enter and leave a leaf of two nodes once: of its 16 NICs 8 send up.
	full := busBW(t, fmt.Sprintf(leaves, 1), ring, nccl.AllReduce)
	quarter := busBW(t, fmt.Sprintf(leaves, 4), ring, nccl.AllReduce)
	t.Logf("ring of 256 MiB: %.0f GB/s on one switch, %.0f over leaves and spines, %.0f over a quarter of the uplinks", star, full, quarter)
	if full > star*1.001 || quarter > star*.51 || quarter > full*.8 {
		t.Errorf("%.1f, %.1f, %.1f GB/s: want a fall to at most half of the first", star, full, quarter)
	}
	v, m := ncclCase(t, fmt.Sprintf(leaves, 4), ring, 8)
	p, _ := ncclCase(t, fmt.Sprintf(leaves, 4), ring, 8, "run.fidelity=packet")
	var took [2]float64
	for i, x := range []*Valid{v, p} {
		r, err := x.RunCollective(t.Context(), m, nccl.AllReduce, 16<<20, BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		took[i] = float64(r.Time) / float64(r.Parts.Total())
	}
	t.Logf("ring of 16 MiB over a quarter of the uplinks: %.2f of the cost model's time as flows, %.2f as packets", took[0], took[1])
	if took[0] < 1.1 || took[1] < took[0]*.9 || took[1] > took[0]*1.25 {
		t.Errorf("%.2f and %.2f of the time alone: want a loss in both, and much the same", took[0], took[1])
	}
}

// The variables that shape connections do: more queue pairs spread over more
// paths, fewer channels bind the ring, crossing rails sends every hop up.
func TestVariablesThatShapeConnections(t *testing.T) {
	ring := "NCCL_ALGO: Ring, NCCL_PROTO: Simple"
	fabric := fmt.Sprintf(leaves, 1)
	one, eight := 0.0, 0.0
	for seed := range 8 {
		s := fmt.Sprint("seed=", seed+1)
		one += busBW(t, fabric, ring, nccl.AllReduce, s) / 8
		eight += busBW(t, fabric, ring+", NCCL_IB_QPS_PER_CONNECTION: 8, NCCL_IB_SPLIT_DATA_ON_QPS: 1", nccl.AllReduce, s) / 8
	}
	if eight < 1.1*one {
		t.Errorf("%.1f GB/s with eight queue pairs a connection, %.1f with one: want a gain of a tenth", eight, one)
	}
	few := busBW(t, oneSwitch, ring+", NCCL_MAX_NCHANNELS: 4", nccl.AllReduce)
	if all := busBW(t, oneSwitch, ring, nccl.AllReduce); few > all/3 {
		t.Errorf("%.1f GB/s over 4 channels, %.1f over 16", few, all)
	}
	rails := "{topology: rail-optimized, nodes_per_leaf: 8, spines: 1, oversubscription: 8, link: {rate: 400Gbps, length: 2m}, switch: tomahawk5}"
	same, cross := busBW(t, rails, ring, nccl.AllReduce), busBW(t, rails, ring+", NCCL_CROSS_NIC: 1", nccl.AllReduce)
	if cross > same/2 {
		t.Errorf("%.1f GB/s on rails of their own, %.1f across them", same, cross)
	}
	pxn, direct := busBW(t, rails, "", nccl.AllToAll), busBW(t, rails, "NCCL_PXN_DISABLE: 1", nccl.AllToAll)
	if direct > pxn/2 {
		t.Errorf("all-to-all: %.1f GB/s with PXN, %.1f without", pxn, direct)
	}
}

// Ranks follow the placement of the job: with neighbours in different leaves every
// hop of a ring leaves its leaf.
func TestPlacementOrdersTheRing(t *testing.T) {
	fabric := fmt.Sprintf(leaves, 4)
	ring := "NCCL_ALGO: Ring, NCCL_PROTO: Simple"
	linear := busBW(t, fabric, ring, nccl.AllReduce)
	strided := busBW(t, fabric, ring, nccl.AllReduce, "jobs.a.placement.policy=strided")
	if strided > .7*linear {
		t.Errorf("%.1f GB/s with neighbours in a leaf, %.1f with every hop between leaves", linear, strided)
	}
	v, _ := ncclCase(t, fabric, ring, 8, "jobs.a.placement.policy=random")
	seen := map[int]bool{}
	for _, g := range v.collectiveGPUs() {
		seen[g] = true
	}
	if len(seen) != 64 {
		t.Errorf("%d GPUs in the order of a random placement, want 64", len(seen))
	}
}

// Without PXN an all-to-all needs paths between rails.
func TestRailsThatNothingJoins(t *testing.T) {
	fabric := "{topology: rail-only, link: {rate: 400Gbps, length: 2m}, switch: tomahawk5}"
	v, m := ncclCase(t, fabric, "", 8)
	if _, err := v.RunCollective(t.Context(), m, nccl.AllToAll, 1<<20, BuildOptions{}); err != nil {
		t.Errorf("with PXN: %v", err)
	}
	v, m = ncclCase(t, fabric, "NCCL_PXN_DISABLE: 1", 8)
	_, err := v.RunCollective(t.Context(), m, nccl.AllToAll, 1<<20, BuildOptions{})
	if err == nil || !strings.Contains(err.Error(), "no path joins them") {
		t.Errorf("without PXN: %v", err)
	}
}
