package nccl

import (
	"fmt"
	"math"

	"github.com/simnet/simnet/sim/spell"
)

// Param is one fitted number: what it means, its value and the range outside
// which it would not be physical.
type Param struct {
	Name          string
	Value         float64
	Min, Max      float64
	Unit, Meaning string
	Source        string // the rows it was fitted on, or the constant's origin
	Fitted        bool   // on measured rows; false: taken from a source or inherited
}

// Key indexes the parameters of a Calibration.
type Key uint8

// The parameters of the cost model. Efficiencies are fractions of the nominal
// bandwidth of the link, per direction.
const (
	LaunchUS     Key = iota // added to NCCL's base latency
	StepScale               // times NCCL's latency of a step inside the node
	RingEff                 // ring bus bandwidth / link
	RingFillUS              // ring pipeline fill
	NVLSEff                 // NVLS wire bandwidth / link
	NVLSFill                // NVLS pipeline fill, loops
	TreeRatio               // Tree algorithm bandwidth / ring bus bandwidth
	TreeLL128               // Tree LL128 / Tree Simple bandwidth
	TreeFill                // share of a chunk's hop times that is exposed
	NVLSTreeEff             // NVLSTree / NVLS bandwidth inside the node
	NVLSTreeFill            // loops
	ChannelGBs              // what one channel's CTA sustains
	P2PEff                  // grouped send/recv bandwidth / link
	P2PFillUS               // us
	PeerUS                  // us a peer in a send/recv group
	HostShare               // SHM bandwidth / PCIe link
	NICStreams              // point-to-point chunks a NIC has in flight
	numParams
)

var paramInfo = [numParams]Param{
	LaunchUS:     {Name: "launch_us", Min: -3, Max: 15, Unit: "us", Meaning: "kernel launch and first flag, beyond NCCL's base latency"},
	StepScale:    {Name: "step_scale", Min: .5, Max: 3, Unit: "1", Meaning: "latency of an LL step inside the node over NCCL's table (a store to a peer and its flag)"},
	RingEff:      {Name: "ring_eff", Min: .5, Max: .98, Unit: "1", Meaning: "ring bus bandwidth over nominal link bandwidth (protocol headers, flags)"},
	RingFillUS:   {Name: "ring_fill_us", Min: 0, Max: 400, Unit: "us", Meaning: "ring pipeline not yet full at the start and drained at the end"},
	NVLSEff:      {Name: "nvls_eff", Min: .4, Max: .9, Unit: "1", Meaning: "NVLS wire bandwidth (S*(1+1/n) each way) over nominal link bandwidth"},
	NVLSFill:     {Name: "nvls_fill", Min: 0, Max: 4, Unit: "loops", Meaning: "loops (one chunk for every channel and head) lost until the NVLS pipeline is full"},
	TreeRatio:    {Name: "tree_ratio", Min: .4, Max: .6, Unit: "1", Meaning: "Tree algorithm bandwidth over ring bus bandwidth: a GPU passes every byte up and down, so at most about a half"},
	TreeLL128:    {Name: "tree_ll128", Min: .5, Max: .94, Unit: "1", Meaning: "LL128 over Simple on trees (at most 120/128)"},
	TreeFill:     {Name: "tree_fill", Min: 0, Max: 1, Unit: "1", Meaning: "share of one chunk's way through the tree that is not overlapped"},
	NVLSTreeEff:  {Name: "nvlstree_eff", Min: .7, Max: 1, Unit: "1", Meaning: "NVLSTree over NVLS bandwidth inside the node: channels also feed the NIC"},
	NVLSTreeFill: {Name: "nvlstree_fill", Min: 0, Max: 4, Unit: "loops", Meaning: "loops lost a stage (node, then each level of the tree of nodes) until the NVLSTree pipeline is full"},
	ChannelGBs:   {Name: "channel_gbs", Min: 8, Max: 40, Unit: "GB/s", Meaning: "one channel's CTA copying and signalling"},
	P2PEff:       {Name: "p2p_eff", Min: .5, Max: .98, Unit: "1", Meaning: "grouped send/recv bandwidth over nominal link bandwidth"},
	P2PFillUS:    {Name: "p2p_fill_us", Min: 0, Max: 300, Unit: "us", Meaning: "send/recv pipeline not yet full"},
	PeerUS:       {Name: "peer_us", Min: 0, Max: 2, Unit: "us", Meaning: "posting one more peer in a group"},
	NICStreams:   {Name: "nic_streams", Min: 1, Max: 16, Unit: "1", Meaning: "chunks of grouped send/recv that a NIC has in flight at once"},
	HostShare:    {Name: "host_share", Min: .1, Max: .5, Unit: "1", Meaning: "SHM bandwidth over PCIe: every byte is written to and read from system memory by SM loads and stores"},
}

// Calibration holds every parameter of the cost model for one kind of node.
type Calibration struct {
	Name string
	P    [numParams]Param
}

// V returns a value.
func (c *Calibration) V(k Key) float64 { return c.P[k].Value }

// String returns the parameter's name.
func (k Key) String() string { return paramInfo[k].Name }

// ParseKey finds a parameter by name.
func ParseKey(s string) (Key, error) {
	for k := range numParams {
		if paramInfo[k].Name == s {
			return k, nil
		}
	}
	best, d := "", len(s)+1
	for k := range numParams {
		if x := spell.Distance(s, paramInfo[k].Name); x < d {
			best, d = paramInfo[k].Name, x
		}
	}
	return 0, fmt.Errorf("no calibration parameter %q: did you mean %s?", s, best)
}

// Set stores a value after checking its range.
func (c *Calibration) Set(k Key, v float64, source string) error {
	p := &c.P[k]
	if math.IsNaN(v) || v < p.Min || v > p.Max {
		return fmt.Errorf("%s = %g %s is outside %g..%g (%s)", p.Name, v, p.Unit, p.Min, p.Max, p.Meaning)
	}
	p.Value, p.Source, p.Fitted = v, source, true
	return nil
}

// preset is one architecture's values; a zero is inherited from the base.
type preset struct {
	name   string
	source string
	v      [numParams]float64
	fitted []Key
}

// CalibrationFor returns the shipped calibration of an architecture and link
// class. A combination without measured rows inherits the nearest generation's
// fractions, and Source says so.
func CalibrationFor(a Arch, l Link) Calibration {
	p := presetFor(a, l)
	c := Calibration{Name: p.name}
	for k := range numParams {
		c.P[k] = paramInfo[k]
		c.P[k].Value, c.P[k].Source = p.v[k], p.source
		if p.v[k] == 0 {
			c.P[k].Value, c.P[k].Source = basePreset[k], "inherited: "+baseSource
		}
	}
	for _, k := range p.fitted {
		c.P[k].Fitted = true
	}
	return c
}
