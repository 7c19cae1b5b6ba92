package nccl

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is an NCCL release as major*10000 + minor*100 + patch.
type Version int

// DefaultVersion is the release whose constants apply when none is given.
const DefaultVersion Version = 22707

// tunerVersions are the releases whose constants are tabulated, oldest first.
// A release between two of them uses the older one's tables.
var tunerVersions = []Version{20803, 21212, 21803, 22304, 22707, 23007}

// ParseVersion reads "2.27.7", "v2.27.7-1" or "2.27".
func ParseVersion(s string) (Version, error) {
	t := strings.TrimPrefix(strings.TrimSpace(s), "v")
	t, _, _ = strings.Cut(t, "-")
	f := strings.Split(t, ".")
	if len(f) < 2 || len(f) > 3 {
		return 0, fmt.Errorf("NCCL version %q: want major.minor.patch, for instance 2.27.7", s)
	}
	v := 0
	for i := range 3 {
		n := 0
		if i < len(f) {
			var err error
			if n, err = strconv.Atoi(f[i]); err != nil || n < 0 || n > 99 {
				return 0, fmt.Errorf("NCCL version %q: %q is not a number from 0 to 99", s, f[i])
			}
		}
		v = v*100 + n
	}
	if v < 20000 || v >= 30000 {
		return 0, fmt.Errorf("NCCL version %q: only 2.x is known", s)
	}
	return Version(v), nil
}

// String returns major.minor.patch.
func (v Version) String() string {
	return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
}

// table is the index of the newest tabulated release not after v.
func (v Version) table() int {
	i := 0
	for j, w := range tunerVersions {
		if v >= w {
			i = j
		}
	}
	return i
}

// algoSince is the first release in which an algorithm can be chosen (NCCL
// release notes: NVLS 2.17, NVLSTree 2.18, PAT 2.23).
var algoSince = [numAlgos]Version{Tree: 20400, Ring: 20000, CollNetDirect: 20600, CollNetChain: 21400, NVLS: 21701, NVLSTree: 21801, PAT: 22304}
