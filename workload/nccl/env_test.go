package nccl

import (
	"strings"
	"testing"
)

func TestParseEnv(t *testing.T) {
	e, warn, err := ParseEnv(map[string]string{
		"NCCL_ALGO": "Ring,Tree", "NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_IB_SPLIT_DATA_ON_QPS": "1",
		"NCCL_CROSS_NIC": "1", "NCCL_P2P_LEVEL": "PXB", "NCCL_IB_TIMEOUT": "22", "NCCL_IB_RETRY_CNT": "5", "NCCL_BUFFSIZE": "8388608",
		"NCCL_DEBUG": "INFO", "NCCL_SOCKET_IFNAME": "eth0", "NCCL_IB_HCA": "mlx5_0:1,mlx5_1:1",
	})
	if err != nil {
		t.Fatal(err)
	}
	if e.QPsPerConnection != 4 || !e.SplitDataOnQPs || e.CrossNIC != 1 || e.P2PLevel != "PXB" || e.IBTimeout != 22 ||
		e.IBRetryCount != 5 || e.BuffSize[Simple] != 8<<20 || e.HCAs != 2 {
		t.Errorf("values lost: %+v", e)
	}
	if len(warn) != 2 || !strings.Contains(warn[0], "NCCL_DEBUG") || !strings.Contains(warn[1], "NCCL_SOCKET_IFNAME") {
		t.Errorf("warnings %q", warn)
	}
}

func TestParseEnvErrors(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"NCCL_ALG", "Ring", "did you mean NCCL_ALGO"},
		{"NCCL_IB_QP_PER_CONNECTION", "4", "did you mean NCCL_IB_QPS_PER_CONNECTION"},
		{"nccl_proto", "LL", "did you mean NCCL_PROTO"},
		{"NCCL_ALGO", "Rings", `"Rings" is none of Tree, Ring`},
		{"NCCL_PROTO", "LL64", "none of LL, LL128, Simple"},
		{"NCCL_ALGO", "foo:ring", "unknown collective"},
		{"NCCL_IB_TIMEOUT", "99", "want 1 to 31"},
		{"NCCL_NTHREADS", "100", "multiple of 32"},
		{"NCCL_P2P_LEVEL", "NVLINK", "want one of LOC"},
		{"NCCL_BUFFSIZE", "4M", "whole number"},
		{"NCCL_ALGO", "", "is empty"},
		{"NCCL_IB_HCA", "mlx5_0,,mlx5_1", "empty device name"},
	} {
		_, _, err := ParseEnv(map[string]string{c.name: c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.name, c.value, err, c.want)
		}
	}
	if _, _, err := ParseEnv(map[string]string{"NCCL_MIN_NCHANNELS": "8", "NCCL_MAX_NCHANNELS": "4"}); err == nil {
		t.Error("a minimum above the maximum passes")
	}
}

// TestDesignVariables checks that every variable the design names is modelled.
func TestDesignVariables(t *testing.T) {
	for _, n := range []string{"NCCL_ALGO", "NCCL_PROTO", "NCCL_MIN_NCHANNELS", "NCCL_IB_QPS_PER_CONNECTION", "NCCL_IB_SPLIT_DATA_ON_QPS",
		"NCCL_CROSS_NIC", "NCCL_P2P_LEVEL", "NCCL_IB_DISABLE", "NCCL_SOCKET_IFNAME", "NCCL_IB_TIMEOUT", "NCCL_IB_RETRY_CNT", "NCCL_BUFFSIZE"} {
		if _, ok := setters[n]; !ok {
			t.Errorf("%s is not modelled", n)
		}
	}
	for _, n := range append(ModelledVariables(), KnownVariables()...) {
		if !strings.HasPrefix(n, "NCCL_") || strings.ContainsAny(n, " \t") {
			t.Errorf("bad name %q", n)
		}
	}
	if n := len(KnownVariables()); n < 200 {
		t.Errorf("%d known variables", n)
	}
}

// TestHCASubset checks that naming fewer NICs narrows the network.
func TestHCASubset(t *testing.T) {
	m8 := model(t, dgxH100(2, 8), nil)
	m2 := model(t, dgxH100(2, 8), map[string]string{"NCCL_IB_HCA": "mlx5_0,mlx5_3"})
	a, _ := m8.Time(AllGather, 1<<30)
	b, _ := m2.Time(AllGather, 1<<30)
	if r := float64(b) / float64(a); r < 3 || r > 4.2 {
		t.Errorf("two of eight NICs: %.2f times slower, want between 3 and 4.2", r)
	}
}
