package nccl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setter applies one variable; the string is a warning.
type setter func(e *Env, v string) (string, error)

// number stores a bounded whole number.
func number(lo, hi int64, set func(e *Env, n int64)) setter {
	return func(e *Env, v string) (string, error) {
		n, err := atoi(v, lo, hi)
		if err == nil {
			set(e, n)
		}
		return "", err
	}
}

// onOff stores 0 or 1.
func onOff(set func(e *Env, on bool)) setter {
	return number(0, 1, func(e *Env, n int64) { set(e, n == 1) })
}

// only accepts a value and says what it does not do.
func only(warning string) setter {
	return func(*Env, string) (string, error) { return warning, nil }
}

const maxBuffer = 1 << 30 // our own bound, against slips of a unit

var pathLevels = []string{"LOC", "NVL", "PIX", "PXB", "PHB", "SYS"}

func level(set func(e *Env, s string)) setter {
	return func(e *Env, v string) (string, error) {
		u := strings.ToUpper(v)
		if n, err := strconv.Atoi(v); err == nil { // legacy integers of the user guide
			if n < 0 || n > 5 {
				return "", fmt.Errorf("want 0 to 5 or one of %s", strings.Join(pathLevels, " "))
			}
			u = []string{"LOC", "PIX", "PXB", "PHB", "SYS", "SYS"}[n]
		}
		if !slices.Contains(pathLevels, u) {
			return "", fmt.Errorf("want one of %s", strings.Join(pathLevels, " "))
		}
		set(e, u)
		return "", nil
	}
}

// setters holds the modelled variables by name.
var setters map[string]setter

func init() {
	minChannels := number(1, maxChannels, func(e *Env, n int64) { e.MinChannels = int(n) })
	maxChans := number(1, maxChannels, func(e *Env, n int64) { e.MaxChannels = int(n) })
	buff := func(p Proto) setter {
		return number(4096, maxBuffer, func(e *Env, n int64) { e.BuffSize[p] = n })
	}
	bytes := func(set func(e *Env, n int64)) setter { return number(1, maxBuffer, set) }
	setters = map[string]setter{
		"NCCL_ALGO":          setAlgo,
		"NCCL_PROTO":         setProto,
		"NCCL_MIN_NCHANNELS": minChannels, "NCCL_MIN_CTAS": minChannels, "NCCL_MIN_NRINGS": minChannels,
		"NCCL_MAX_NCHANNELS": maxChans, "NCCL_MAX_CTAS": maxChans, "NCCL_MAX_NRINGS": maxChans,
		"NCCL_MIN_P2P_NCHANNELS":      number(1, maxChannels, func(e *Env, n int64) { e.MinP2PChannels = int(n) }),
		"NCCL_MAX_P2P_NCHANNELS":      number(1, maxChannels, func(e *Env, n int64) { e.MaxP2PChannels = int(n) }),
		"NCCL_NCHANNELS_PER_NET_PEER": number(1, maxChannels, func(e *Env, n int64) { e.ChannelsPerNetPeer = int(n) }),
		"NCCL_NTHREADS":               setThreads,
		"NCCL_NVLS_NCHANNELS":         number(1, maxChannels, func(e *Env, n int64) { e.NVLSChannels = int(n) }),
		"NCCL_BUFFSIZE":               buff(Simple),
		"NCCL_LL_BUFFSIZE":            buff(LL),
		"NCCL_LL128_BUFFSIZE":         buff(LL128),
		"NCCL_THREAD_THRESHOLDS":      setThresholds,
		"NCCL_NVLS_CHUNKSIZE":         bytes(func(e *Env, n int64) { e.NVLSChunk = n }),
		"NCCL_NVLSTREE_MAX_CHUNKSIZE": bytes(func(e *Env, n int64) { e.NVLSTreeMaxChunk = n }),
		"NCCL_DYNAMIC_CHUNK_SIZE":     bytes(func(e *Env, n int64) { e.DynamicChunk = n }),
		"NCCL_P2P_NET_CHUNKSIZE":      bytes(func(e *Env, n int64) { e.P2PNetChunk = n }),
		"NCCL_P2P_NVL_CHUNKSIZE":      bytes(func(e *Env, n int64) { e.P2PNVLChunk = n }),
		"NCCL_P2P_PCI_CHUNKSIZE":      bytes(func(e *Env, n int64) { e.P2PPCIChunk = n }),
		"NCCL_NVLS_ENABLE":            number(0, 2, func(e *Env, n int64) { e.NVLSDisabled = n == 0 }),
		"NCCL_PAT_ENABLE":             number(0, 2, func(e *Env, n int64) { e.PATDisabled = n == 0 }),
		"NCCL_P2P_DISABLE":            onOff(func(e *Env, on bool) { e.P2PDisabled = on }),
		"NCCL_P2P_LEVEL":              level(func(e *Env, s string) { e.P2PLevel = s }),
		"NCCL_SHM_DISABLE":            onOff(func(e *Env, on bool) { e.SHMDisabled = on }),
		"NCCL_IB_DISABLE":             onOff(func(e *Env, on bool) { e.IBDisabled = on }),
		"NCCL_MNNVL_ENABLE":           number(0, 2, func(e *Env, n int64) { e.MNNVLDisabled = n == 0 }),
		"NCCL_IB_HCA":                 setHCA,
		"NCCL_SOCKET_IFNAME":          only("bootstrap traffic is not modelled; data moves over the NICs of the cluster"),
		"NCCL_CROSS_NIC":              number(0, 2, func(e *Env, n int64) { e.CrossNIC = int(n) }),
		"NCCL_PXN_DISABLE":            onOff(func(e *Env, on bool) { e.PXNDisabled = on }),
		"NCCL_P2P_PXN_LEVEL":          number(0, 2, func(e *Env, n int64) { e.PXNDisabled = e.PXNDisabled || n == 0 }),
		"NCCL_NET_GDR_LEVEL":          level(func(e *Env, s string) { e.GDRLevel = s }),
		"NCCL_NET_OVERHEAD":           number(0, 1e6, func(e *Env, n int64) { e.NetOverhead = float64(n) / 1000 }),
		"NCCL_IB_QPS_PER_CONNECTION":  number(1, 128, func(e *Env, n int64) { e.QPsPerConnection = int(n) }),
		"NCCL_IB_SPLIT_DATA_ON_QPS":   onOff(func(e *Env, on bool) { e.SplitDataOnQPs = on }),
		"NCCL_IB_TIMEOUT":             number(1, 31, func(e *Env, n int64) { e.IBTimeout = int(n) }),
		"NCCL_IB_RETRY_CNT":           number(0, 7, func(e *Env, n int64) { e.IBRetryCount = int(n) }),
		"NCCL_IB_TC":                  number(0, 255, func(e *Env, n int64) { e.TrafficClass = int(n) }),
		"NCCL_IB_SL":                  number(0, 15, func(e *Env, n int64) { e.ServiceLevel = int(n) }),
		"NCCL_IB_AR_THRESHOLD":        number(0, maxBuffer, func(e *Env, n int64) { e.ARThreshold = n }),
		"NCCL_COLLNET_ENABLE":         setCollNet,
		"NCCL_SHARP_DISABLE":          only("in-network reduction is not modelled, so it is off already"),
		"NCCL_LL128_NTHREADS":         number(160, ll128Threads, func(*Env, int64) {}),
	}
}

func setCollNet(_ *Env, v string) (string, error) {
	n, err := atoi(v, 0, 1)
	if err == nil && n == 1 {
		return "in-network reduction (CollNet, SHARP) is not modelled: the choice stays as if it were 0", nil
	}
	return "", err
}

func setThreads(e *Env, v string) (string, error) {
	n, err := atoi(v, 64, simpleThreads)
	if err != nil {
		return "", err
	}
	if n%warp != 0 {
		return "", fmt.Errorf("want a multiple of 32")
	}
	e.NThreads = int(n)
	return "", nil
}

func setThresholds(e *Env, v string) (string, error) {
	for i, f := range strings.Fields(v) {
		n, err := atoi(f, -2, maxBuffer)
		if err != nil || i > 5 {
			return "", fmt.Errorf("want up to six whole numbers: Tree LL LL128 Simple, Ring LL LL128 Simple")
		}
		if n > 0 && i >= 3 {
			e.ThreadThresholds[i-3] = n
		}
	}
	return "Tree's own thresholds are taken from Ring's", nil
}

// setHCA counts the NICs that NCCL_IB_HCA names. "^" exclusions cannot be
// counted without the host's device list.
func setHCA(e *Env, v string) (string, error) {
	if strings.HasPrefix(v, "^") {
		return "exclusions need the host's device list: all NICs of the cluster stay in use", nil
	}
	exact := strings.HasPrefix(v, "=")
	seen := map[string]bool{}
	for _, d := range strings.Split(strings.TrimPrefix(v, "="), ",") {
		d, _, _ = strings.Cut(strings.TrimSpace(d), ":")
		if d == "" {
			return "", fmt.Errorf("an empty device name")
		}
		seen[d] = true
	}
	if len(seen) == 1 && !exact && strings.TrimRight(v, "0123456789") == v {
		return "a bare prefix matches every device of that driver: all NICs stay in use", nil
	}
	e.HCAs = len(seen)
	return "", nil
}

// setAlgo and setProto read NCCL's list: names or "^" and names, per function
// as "allreduce:ring,tree;allgather:ring" since 2.24.
func setAlgo(e *Env, v string) (string, error) {
	return "", parseList(v, algoNames[:numAlgos], e.algo[:])
}

func setProto(e *Env, v string) (string, error) {
	return "", parseList(v, protoNames[:], e.proto[:])
}

func parseList(v string, names []string, sets []uint8) error {
	for _, part := range strings.Split(v, ";") {
		list, to := part, sets[:]
		if f, rest, ok := strings.Cut(part, ":"); ok {
			c, err := ParseCollective(strings.TrimSpace(f))
			if err != nil {
				return err
			}
			list, to = rest, sets[c:c+1]
		}
		list, negate := strings.CutPrefix(strings.TrimSpace(list), "^")
		var set uint8
		for _, n := range strings.Split(list, ",") {
			i := slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, strings.TrimSpace(n)) })
			if i < 0 {
				return fmt.Errorf("%q is none of %s", n, strings.Join(names, ", "))
			}
			set |= 1 << i
		}
		if negate {
			set = uint8(1<<len(names)-1) &^ set
		}
		for i := range to {
			to[i] = set
		}
	}
	return nil
}
