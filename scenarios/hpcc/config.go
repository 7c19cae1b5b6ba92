package hpcc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simnet/simnet/sim"
)

// Config is a config file. Times are as the model takes them.
type Config struct {
	File string

	EnableQCN        bool
	DynamicThreshold bool
	Payload          int64
	Stop             sim.Time
	CCMode           int64
	AlphaResume      sim.Time
	RateDecrease     sim.Time
	RPTimer          sim.Time
	Clamp            bool
	Gain             float64
	FastRecovery     int64
	AI, HAI          sim.Rate
	MinRate          sim.Rate
	DCTCPAI          sim.Rate
	ErrorRate        float64
	ChunkSize        int64
	AckInterval      int64
	BackToZero       bool
	HasWindow        bool
	GlobalWindow     bool
	VariableWindow   bool
	FastReact        bool
	Target           float64
	MIThreshold      int64
	IntMulti         int64
	MultiRate        bool
	SampleFeedback   bool
	RateBound        bool
	AckHighPriority  bool
	LinkDown         [3]int64 // us after 2 s, and the two nodes; 0: none
	EnableTrace      bool
	KMin, KMax       []RateValue // bytes
	PMax             []RateValue // probability
	BufferMiB        int64

	seen map[string]Pos
	// Unknown holds the keys that the model does not have.
	unknown []token
}

// RateValue is an entry of KMIN_MAP, KMAX_MAP or PMAX_MAP.
type RateValue struct {
	Rate  sim.Rate
	Value float64
}

// The congestion controls of CC_MODE that simnet has.
const (
	ccNone   = 0
	ccDCQCN  = 1
	ccHPCC   = 3
	ccTIMELY = 7
	ccDCTCP  = 8
)

// DefaultConfig returns the values that count for keys that a config file
// leaves out: the DCQCN set that the HPCC repository ships with its examples.
func DefaultConfig() *Config {
	rates := func(perGbps float64) (v []RateValue) {
		for _, g := range []sim.Rate{25, 40, 100, 200, 400} {
			v = append(v, RateValue{g * sim.Gbps, float64(g) * perGbps})
		}
		return v
	}
	c := &Config{
		EnableQCN: true, DynamicThreshold: true, Payload: 1000, Stop: 4 * sim.Second, CCMode: ccDCQCN,
		AlphaResume: sim.Microsecond, RateDecrease: 4 * sim.Microsecond, RPTimer: 300 * sim.Microsecond,
		Gain: 1.0 / 256, FastRecovery: 1, AI: 20 * sim.Mbps, HAI: 200 * sim.Mbps, MinRate: sim.Gbps, DCTCPAI: sim.Gbps,
		ChunkSize: 4000, AckInterval: 1, GlobalWindow: true, Target: 0.95, IntMulti: 1, RateBound: true, AckHighPriority: true,
		KMin: rates(4000), KMax: rates(16000), BufferMiB: 32,
	}
	for _, r := range c.KMin {
		c.PMax = append(c.PMax, RateValue{r.Rate, 0.2})
	}
	return c
}

// ParseConfig reads a config file: a line a key. Keys that it lacks keep their
// defaults.
func ParseConfig(in Input) (*Config, error) {
	l := in.lines(true)
	c := DefaultConfig()
	c.File = in.Name
	c.seen = map[string]Pos{}
	for t := l.next(); t != nil; t = l.next() {
		name := t[0].text
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if i < 0 {
			c.unknown = append(c.unknown, t[0])
			continue
		}
		if at, twice := c.seen[name]; twice {
			return nil, t[0].errorf("%s is given twice; first at %v", name, at)
		}
		c.seen[name] = t[0].Pos
		k := &keys[i]
		if len(t) == 1 {
			p := t[0].Pos
			p.Column += len(name)
			return nil, p.errorf("%s has no value", name)
		}
		if k.args > 0 && len(t) > k.args+1 {
			return nil, t[k.args+1].errorf("unexpected %q after the value of %s", t[k.args+1].text, name)
		}
		if k.args > len(t)-1 {
			return nil, t[len(t)-1].errorf("%s has %d values, needs %d", name, len(t)-1, k.args)
		}
		if err := k.set(c, t); err != nil {
			return nil, err
		}
	}
	return c, c.check()
}

// at returns where a key was given; the file if it was not.
func (c *Config) at(name string) Pos {
	if p, ok := c.seen[name]; ok {
		return p
	}
	return Pos{File: c.File}
}

// modes names the congestion controls of CC_MODE.
var modes = map[int64]string{ccNone: "none", ccDCQCN: "DCQCN", ccHPCC: "HPCC", ccTIMELY: "TIMELY", ccDCTCP: "DCTCP"}

// check refuses values that no model gives a meaning.
func (c *Config) check() error {
	switch c.CCMode {
	case ccNone, ccDCQCN, ccHPCC, ccTIMELY, ccDCTCP:
	case 10:
		return c.at("CC_MODE").errorf("CC_MODE: 10 (HPCC-PINT) is not supported; supported: 0 none, 1 DCQCN, 3 HPCC, 7 TIMELY, 8 DCTCP")
	default:
		return c.at("CC_MODE").errorf("CC_MODE: %d is unknown; supported: 0 none, 1 DCQCN, 3 HPCC, 7 TIMELY, 8 DCTCP", c.CCMode)
	}
	if c.BackToZero {
		return c.at("L2_BACK_TO_ZERO").errorf("L2_BACK_TO_ZERO: restarting a chunk from its beginning is not supported; 0 is go-back-N")
	}
	if !c.EnableQCN && (c.CCMode == ccDCTCP) {
		return c.at("ENABLE_QCN").errorf("ENABLE_QCN: 0 marks nothing, but CC_MODE %d (%s) reacts to nothing else", c.CCMode, modes[c.CCMode])
	}
	if !c.RateBound {
		return c.at("RATE_BOUND").errorf("RATE_BOUND: 0 (no rate pacing) is not supported")
	}
	for _, m := range []struct {
		name string
		v    []RateValue
	}{{"KMAX_MAP", c.KMax}, {"PMAX_MAP", c.PMax}} {
		for _, k := range c.KMin {
			if !slices.ContainsFunc(m.v, func(x RateValue) bool { return x.Rate == k.Rate }) {
				return c.at(m.name).errorf("%s: has no entry for %d bit/s, which KMIN_MAP has", m.name, k.Rate)
			}
		}
	}
	for _, k := range c.KMin {
		if hi := lookup(c.KMax, k.Rate); hi < k.Value {
			return c.at("KMAX_MAP").errorf("KMAX_MAP: %g kB at %d bit/s is below the %g kB of KMIN_MAP", hi/1000, k.Rate, k.Value/1000)
		}
	}
	return nil
}

func lookup(v []RateValue, r sim.Rate) float64 {
	for _, x := range v {
		if x.Rate == r {
			return x.Value
		}
	}
	return 0
}

// checkRates refuses a link rate without marking thresholds.
func (c *Config) checkRates(t *Topology) error {
	if !c.EnableQCN {
		return nil
	}
	for i := range t.Links {
		l := &t.Links[i]
		if !slices.ContainsFunc(c.KMin, func(x RateValue) bool { return x.Rate == l.Rate }) {
			return c.at("KMIN_MAP").errorf("KMIN_MAP: has no entry for %d bit/s, the rate of the link at %v", l.Rate, l.Pos)
		}
	}
	return nil
}

// warnings names what was read and has no effect.
func (c *Config) warnings() (w []string) {
	for _, t := range c.unknown {
		s := fmt.Sprintf("%v: unknown key %s has no effect", t.Pos, t.text)
		if n := nearestKey(t.text); n != "" {
			s += "; was " + n + " meant?"
		}
		w = append(w, s)
	}
	if c.seen == nil {
		w = append(w, "no config given: the DCQCN set of the HPCC repository is used")
	} else if miss := c.missing(); len(miss) > 0 {
		w = append(w, fmt.Sprintf("%s: left out, so that defaults count: %s", c.File, strings.Join(miss, ", ")))
	}
	if !c.DynamicThreshold {
		w = append(w, fmt.Sprintf("%v: USE_DYNAMIC_PFC_THRESHOLD 0 has no effect: the model's buffer management is always dynamic", c.at("USE_DYNAMIC_PFC_THRESHOLD")))
	}
	if c.AckInterval > c.Payload {
		w = append(w, fmt.Sprintf("%v: L2_ACK_INTERVAL %d: an ACK every %d packets, and always for the last of a flow (which the reference may leave out)", c.at("L2_ACK_INTERVAL"), c.AckInterval, c.ackEvery()))
	}
	if c.CCMode == ccTIMELY {
		w = append(w, fmt.Sprintf("%v: CC_MODE 7: TIMELY follows its paper; it was not compared with the reference", c.at("CC_MODE")))
	}
	if c.CCMode == ccHPCC {
		w = append(w, fmt.Sprintf("%v: CC_MODE 3: HPCC follows its paper; per-flow times are near the reference's, not equal", c.at("CC_MODE")))
	}
	if c.EnableTrace {
		w = append(w, fmt.Sprintf("%v: ENABLE_TRACE 1 has no effect: no packet trace is written", c.at("ENABLE_TRACE")))
	}
	if idle := c.idle(); len(idle) > 0 {
		w = append(w, fmt.Sprintf("%s: without effect at CC_MODE %d (%s): %s", c.File, c.CCMode, modes[c.CCMode], strings.Join(idle, ", ")))
	}
	var files []string
	for _, k := range keys {
		if _, ok := c.seen[k.name]; ok && k.kind == keyFile {
			files = append(files, k.name)
		}
	}
	if len(files) > 0 {
		w = append(w, fmt.Sprintf("%s: files and monitors of the reference, not used (results go to the run directory): %s", c.File, strings.Join(files, ", ")))
	}
	return w
}

// missing lists the keys that count but were not given.
func (c *Config) missing() (names []string) {
	for _, k := range keys {
		if _, ok := c.seen[k.name]; !ok && (k.kind == keyCommon || k.kind == keyCC && slices.Contains(k.modes, c.CCMode)) {
			names = append(names, k.name)
		}
	}
	return names
}

// idle lists the keys that were given and belong to other congestion controls.
func (c *Config) idle() (names []string) {
	for _, k := range keys {
		if _, ok := c.seen[k.name]; ok && k.kind == keyCC && !slices.Contains(k.modes, c.CCMode) {
			names = append(names, k.name)
		}
	}
	return names
}

// ackEvery converts L2_ACK_INTERVAL to packets.
func (c *Config) ackEvery() int64 { return max(1, (c.AckInterval+c.Payload-1)/c.Payload) }
