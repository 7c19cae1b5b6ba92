package nccl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simnet/simnet/sim/spell"
)

// Env is the part of NCCL's environment that changes what is modelled. The
// zero value is not usable: DefaultEnv and ParseEnv make one.
type Env struct {
	algo  [numCollectives]uint8 // bit set of allowed algorithms, 0: all
	proto [numCollectives]uint8 // bit set of protocols, 0: NCCL's own rule

	MinChannels, MaxChannels   int // NCCL_MIN_NCHANNELS / NCCL_MIN_CTAS, ...; 0: no bound
	MinP2PChannels             int
	MaxP2PChannels             int
	ChannelsPerNetPeer         int
	NThreads                   int
	NVLSChannels               int
	BuffSize                   [numProtos]int64 // 0: default
	ThreadThresholds           [numProtos]int64
	NVLSChunk                  int64
	NVLSTreeMaxChunk           int64
	DynamicChunk               int64 // NCCL_DYNAMIC_CHUNK_SIZE of the FasTrak plug-in: Tree's chunk
	P2PNetChunk                int64
	P2PNVLChunk, P2PPCIChunk   int64
	NVLSDisabled, PATDisabled  bool
	P2PDisabled, SHMDisabled   bool
	P2PLevel                   string // LOC NVL PIX PXB PHB SYS, empty: default
	IBDisabled                 bool
	MNNVLDisabled              bool
	HCAs                       int // how many NICs NCCL_IB_HCA names, 0: all
	CrossNIC                   int // 0, 1, 2
	PXNDisabled                bool
	NetOverhead                float64 // us, negative: by CPU vendor
	QPsPerConnection           int
	SplitDataOnQPs             bool
	IBTimeout, IBRetryCount    int
	TrafficClass, ServiceLevel int // -1: default
	ARThreshold                int64
	GDRLevel                   string
}

// DefaultEnv is the environment in which no variable is set.
func DefaultEnv() Env {
	return Env{
		CrossNIC: 2, NetOverhead: -1, QPsPerConnection: 1, IBTimeout: 20, IBRetryCount: 7,
		TrafficClass: -1, ServiceLevel: -1, ARThreshold: 8192,
	}
}

// ParseEnv reads variables by their real names. A known name that is not
// modelled, or a modelled one whose value changes nothing here, gives a
// warning; an unknown name or a bad value is an error that names the nearest.
// Warnings and errors come in the order of the names.
func ParseEnv(vars map[string]string) (Env, []string, error) {
	e := DefaultEnv()
	names := make([]string, 0, len(vars))
	for n := range vars {
		names = append(names, n)
	}
	slices.Sort(names)
	var warnings []string
	for _, n := range names {
		v := strings.TrimSpace(vars[n])
		if v == "" {
			return e, warnings, fmt.Errorf("%s is empty: give it a value or leave it out", n)
		}
		if set, ok := setters[n]; ok {
			w, err := set(&e, v)
			if err != nil {
				return e, warnings, fmt.Errorf("%s=%s: %w", n, v, err)
			}
			if w != "" {
				warnings = append(warnings, fmt.Sprintf("%s=%s: %s", n, v, w))
			}
			continue
		}
		if short, ok := strings.CutPrefix(n, "NCCL_"); ok && slices.Contains(knownNames, short) {
			warnings = append(warnings, n+" is known but not modelled: it changes nothing here")
			continue
		}
		return e, warnings, unknownName(n)
	}
	if e.MinChannels > 0 && e.MaxChannels > 0 && e.MinChannels > e.MaxChannels {
		return e, warnings, fmt.Errorf("NCCL_MIN_NCHANNELS=%d is above NCCL_MAX_NCHANNELS=%d", e.MinChannels, e.MaxChannels)
	}
	return e, warnings, nil
}

func unknownName(n string) error {
	best, d := "", len(n)
	consider := func(c string) {
		if x := spell.Distance(strings.ToUpper(n), c); x < d {
			best, d = c, x
		}
	}
	for _, k := range modelledNames() {
		consider(k)
	}
	for _, k := range knownNames {
		consider("NCCL_" + k)
	}
	return fmt.Errorf("unknown variable %s: did you mean %s?", n, best)
}

// ModelledVariables lists the names that change the model, sorted.
func ModelledVariables() []string { return modelledNames() }

func modelledNames() []string {
	names := make([]string, 0, len(setters))
	for n := range setters {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// KnownVariables lists the names accepted with a warning only, sorted.
func KnownVariables() []string {
	var names []string
	for _, k := range knownNames {
		if _, ok := setters["NCCL_"+k]; !ok {
			names = append(names, "NCCL_"+k)
		}
	}
	slices.Sort(names)
	return names
}

// algoAllowed says whether NCCL_ALGO leaves a for c.
func (e Env) algoAllowed(c Collective, a Algo) bool {
	if (a == NVLS || a == NVLSTree) && e.NVLSDisabled {
		return false
	}
	return e.algo[c] == 0 || e.algo[c]&(1<<a) != 0
}

// protoAllowed says whether NCCL_PROTO leaves p for c, and whether it was
// asked for by name, which overrides the rule for LL128.
func (e Env) protoAllowed(c Collective, p Proto) (forced, allowed bool) {
	if e.proto[c] == 0 {
		return false, true
	}
	on := e.proto[c]&(1<<p) != 0
	return on, on
}

// apply turns what the environment takes away into a narrower shape.
func (e Env) apply(s Shape) (Shape, error) {
	disabled := e.P2PDisabled || e.P2PLevel == "LOC"
	switch {
	case s.Link == PCIe && e.P2PLevel == "NVL":
		disabled = true
	case s.Link == PCIe && (e.P2PLevel == "PIX" || e.P2PLevel == "PXB"):
		disabled = disabled || s.GPUsPerNode > 4 // beyond one switch
	}
	if disabled && s.GPUsPerNode > 1 {
		if e.SHMDisabled && s.Nodes == 1 {
			return s, fmt.Errorf("nccl: NCCL_P2P_DISABLE and NCCL_SHM_DISABLE leave only the network between the GPUs of a node, which is not modelled")
		}
		s.Link, s.LinkGBs, s.NVLS = HostMemory, defaultLinkGBs(s.Arch, PCIe), false
	}
	if e.NVLSDisabled {
		s.NVLS = false
	}
	if e.HCAs > 0 && s.NICsPerNode > 0 {
		s.NICsPerNode = min(s.NICsPerNode, e.HCAs)
	}
	if e.IBDisabled && s.Nodes > 1 {
		// The socket transport: LL needs ordered writes into the peer's memory.
		s.UnorderedNIC, s.NoGDR = true, true
	}
	if e.GDRLevel == "LOC" {
		s.NoGDR = true
	}
	return s, nil
}

func atoi(v string, lo, hi int64) (int64, error) {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want a whole number")
	}
	if n < lo || n > hi {
		return 0, fmt.Errorf("want %d to %d", lo, hi)
	}
	return n, nil
}
