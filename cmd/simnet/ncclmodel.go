package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simnet/simnet/workload/nccl"
)

// parseVersion takes "" as the default.
func parseVersion(s string) (nccl.Version, error) {
	if s == "" {
		return nccl.DefaultVersion, nil
	}
	return nccl.ParseVersion(s)
}

// parseSize reads sizes as nccl-tests does: 8, 64K, 1M, 8G, binary multiples.
func parseSize(s string) (int64, error) {
	shift := 0
	num := strings.TrimSuffix(strings.ToUpper(s), "B")
	if i := strings.IndexByte("KMG", num[max(0, len(num)-1)]); len(num) > 1 && i >= 0 {
		shift = 10 * (i + 1)
		num = num[:len(num)-1]
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || n < 1 || n > 1<<40>>shift {
		return 0, fmt.Errorf("simnet nccl-test: size %q: want 8, 64K, 1M, 8G (at most 1024G)", s)
	}
	return n << shift, nil
}
