package hpcc

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/sim/spell"
)

// keyKind says when a key counts.
type keyKind uint8

const (
	keyCommon   keyKind = iota // always
	keyCC                      // at some values of CC_MODE
	keyOptional                // always; leaving it out is no reason for a warning
	keyFile                    // names a file or a monitor of the reference
)

// key is a key of config files.
type key struct {
	name  string
	kind  keyKind
	args  int // values; 0: any number
	modes []int64
	set   func(c *Config, t []token) error
}

// keys are the keys of the HPCC repository's config files.
var keys = []key{
	flagKey("ENABLE_QCN", keyCommon, func(c *Config) *bool { return &c.EnableQCN }),
	flagKey("USE_DYNAMIC_PFC_THRESHOLD", keyOptional, func(c *Config) *bool { return &c.DynamicThreshold }),
	// A data packet with its headers must fit 16 bits.
	intKey("PACKET_PAYLOAD_SIZE", keyCommon, 1, 65000, func(c *Config) *int64 { return &c.Payload }),
	secondsKey("SIMULATOR_STOP_TIME", func(c *Config) *sim.Time { return &c.Stop }),
	intKey("CC_MODE", keyCommon, 0, 1000, func(c *Config) *int64 { return &c.CCMode }),
	microsKey("ALPHA_RESUME_INTERVAL", func(c *Config) *sim.Time { return &c.AlphaResume }),
	microsKey("RATE_DECREASE_INTERVAL", func(c *Config) *sim.Time { return &c.RateDecrease }),
	microsKey("RP_TIMER", func(c *Config) *sim.Time { return &c.RPTimer }),
	only(flagKey("CLAMP_TARGET_RATE", keyCC, func(c *Config) *bool { return &c.Clamp }), ccDCQCN),
	only(floatKey("EWMA_GAIN", keyCC, math.SmallestNonzeroFloat64, 1, func(c *Config) *float64 { return &c.Gain }), ccDCQCN, ccDCTCP),
	only(intKey("FAST_RECOVERY_TIMES", keyCC, 0, 1000, func(c *Config) *int64 { return &c.FastRecovery }), ccDCQCN),
	only(rateKey("RATE_AI", 0, func(c *Config) *sim.Rate { return &c.AI }), ccDCQCN, ccHPCC, ccTIMELY),
	only(rateKey("RATE_HAI", 0, func(c *Config) *sim.Rate { return &c.HAI }), ccDCQCN),
	only(rateKey("MIN_RATE", 1, func(c *Config) *sim.Rate { return &c.MinRate }), ccDCQCN, ccHPCC, ccTIMELY, ccDCTCP),
	only(rateKey("DCTCP_RATE_AI", 0, func(c *Config) *sim.Rate { return &c.DCTCPAI }), ccDCTCP),
	floatKey("ERROR_RATE_PER_LINK", keyOptional, 0, 1, func(c *Config) *float64 { return &c.ErrorRate }),
	intKey("L2_CHUNK_SIZE", keyOptional, 0, math.MaxInt64, func(c *Config) *int64 { return &c.ChunkSize }),
	intKey("L2_ACK_INTERVAL", keyCommon, 1, math.MaxInt32, func(c *Config) *int64 { return &c.AckInterval }),
	flagKey("L2_BACK_TO_ZERO", keyOptional, func(c *Config) *bool { return &c.BackToZero }),
	flagKey("HAS_WIN", keyCommon, func(c *Config) *bool { return &c.HasWindow }),
	flagKey("GLOBAL_T", keyOptional, func(c *Config) *bool { return &c.GlobalWindow }),
	flagKey("VAR_WIN", keyOptional, func(c *Config) *bool { return &c.VariableWindow }),
	only(flagKey("FAST_REACT", keyCC, func(c *Config) *bool { return &c.FastReact }), ccHPCC),
	only(floatKey("U_TARGET", keyCC, 0.01, 1, func(c *Config) *float64 { return &c.Target }), ccHPCC),
	only(intKey("MI_THRESH", keyCC, 0, 1000, func(c *Config) *int64 { return &c.MIThreshold }), ccHPCC),
	only(intKey("INT_MULTI", keyCC, 1, 1000, func(c *Config) *int64 { return &c.IntMulti }), ccHPCC),
	only(flagKey("MULTI_RATE", keyCC, func(c *Config) *bool { return &c.MultiRate }), ccHPCC),
	only(flagKey("SAMPLE_FEEDBACK", keyCC, func(c *Config) *bool { return &c.SampleFeedback }), ccHPCC),
	ignoredKey("PINT_LOG_BASE", keyCC, 1),
	ignoredKey("PINT_PROB", keyCC, 1),
	flagKey("RATE_BOUND", keyOptional, func(c *Config) *bool { return &c.RateBound }),
	flagKey("ACK_HIGH_PRIO", keyCommon, func(c *Config) *bool { return &c.AckHighPriority }),
	{name: "LINK_DOWN", kind: keyOptional, args: 3, set: func(c *Config, t []token) (err error) {
		for i, what := range []string{"LINK_DOWN time", "LINK_DOWN node", "LINK_DOWN node"} {
			if c.LinkDown[i], err = t[i+1].integer(what, 0, 1<<40); err != nil {
				return err
			}
		}
		return nil
	}},
	flagKey("ENABLE_TRACE", keyOptional, func(c *Config) *bool { return &c.EnableTrace }),
	mapKey("KMAX_MAP", 1000, math.MaxInt32, func(c *Config) *[]RateValue { return &c.KMax }),
	mapKey("KMIN_MAP", 1000, math.MaxInt32, func(c *Config) *[]RateValue { return &c.KMin }),
	mapKey("PMAX_MAP", 1, 1, func(c *Config) *[]RateValue { return &c.PMax }),
	intKey("BUFFER_SIZE", keyCommon, 1, 1<<17, func(c *Config) *int64 { return &c.BufferMiB }),
	ignoredKey("TOPOLOGY_FILE", keyFile, 1), ignoredKey("FLOW_FILE", keyFile, 1), ignoredKey("TRACE_FILE", keyFile, 1),
	ignoredKey("TRACE_OUTPUT_FILE", keyFile, 1), ignoredKey("FCT_OUTPUT_FILE", keyFile, 1), ignoredKey("PFC_OUTPUT_FILE", keyFile, 1),
	ignoredKey("QLEN_MON_FILE", keyFile, 1), ignoredKey("QLEN_MON_START", keyFile, 1), ignoredKey("QLEN_MON_END", keyFile, 1),
}

func only(k key, modes ...int64) key {
	k.kind, k.modes = keyCC, modes
	return k
}

func ignoredKey(name string, kind keyKind, args int) key {
	return key{name: name, kind: kind, args: args, set: func(*Config, []token) error { return nil }}
}

func flagKey(name string, kind keyKind, field func(*Config) *bool) key {
	return key{name: name, kind: kind, args: 1, set: func(c *Config, t []token) (err error) {
		*field(c), err = t[1].flag(name)
		return err
	}}
}

func intKey(name string, kind keyKind, low, high int64, field func(*Config) *int64) key {
	return key{name: name, kind: kind, args: 1, set: func(c *Config, t []token) (err error) {
		*field(c), err = t[1].integer(name, low, high)
		return err
	}}
}

func floatKey(name string, kind keyKind, low, high float64, field func(*Config) *float64) key {
	return key{name: name, kind: kind, args: 1, set: func(c *Config, t []token) (err error) {
		*field(c), err = t[1].number(name, low, high)
		return err
	}}
}

func rateKey(name string, low sim.Rate, field func(*Config) *sim.Rate) key {
	return key{name: name, args: 1, set: func(c *Config, t []token) (err error) {
		r, err := t[1].rate(name)
		if err == nil && r < low {
			err = t[1].errorf("%s: must be above zero", name)
		}
		*field(c) = r
		return err
	}}
}

// microsKey is a timer of DCQCN in microseconds.
func microsKey(name string, field func(*Config) *sim.Time) key {
	return key{name: name, kind: keyCC, modes: []int64{ccDCQCN}, args: 1, set: func(c *Config, t []token) error {
		v, err := t[1].number(name+" (us)", 0, 1e9)
		if err == nil && v <= 0 {
			err = t[1].errorf("%s: must be above zero", name)
		}
		if err == nil {
			*field(c) = sim.Time(math.Round(v * float64(sim.Microsecond)))
		}
		return err
	}}
}

func secondsKey(name string, field func(*Config) *sim.Time) key {
	return key{name: name, args: 1, set: func(c *Config, t []token) error {
		v, err := t[1].number(name+" (s)", 0, 1e6)
		if err == nil {
			*field(c) = sim.FromSeconds(v)
		}
		return err
	}}
}

// mapKey is a map by link rate: a count, then rate in bit/s and value in turn.
func mapKey(name string, unit, high float64, field func(*Config) *[]RateValue) key {
	return key{name: name, kind: keyCommon, set: func(c *Config, t []token) error {
		n, err := t[1].integer(name+" count", 0, 1000)
		if err != nil {
			return err
		}
		if int64(len(t)) != 2+2*n {
			return t[1].errorf("%s: %d entries announced, but %d values follow; each entry is a rate and a value", name, n, len(t)-2)
		}
		var m []RateValue
		for i := 2; i < len(t); i += 2 {
			r, err := t[i].integer(name+" rate", 1, 1e15)
			if err != nil {
				return err
			}
			v, err := t[i+1].number(name+" value", 0, high)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(m, func(x RateValue) bool { return x.Rate == sim.Rate(r) }) {
				return t[i].errorf("%s: %d is given twice", name, r)
			}
			m = append(m, RateValue{sim.Rate(r), v * unit})
		}
		slices.SortFunc(m, func(a, b RateValue) int { return cmp.Compare(a.Rate, b.Rate) })
		*field(c) = m
		return nil
	}}
}

// nearestKey returns the key that an unknown one was probably meant to be: one
// that holds all its words, or is held in it; "" if there is none.
func nearestKey(s string) string {
	u := strings.ToUpper(strings.ReplaceAll(s, "-", "_"))
	best := ""
	for _, k := range keys {
		if k.name == u {
			return k.name
		}
		if len(u) >= 4 && spell.Distance(u, k.name) <= len(u)/4 {
			best = k.name
		}
	}
	return best
}
