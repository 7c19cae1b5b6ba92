package importer

import "strings"

// nvlinkGbps is the rate of one NVLink per direction by compute capability
// times ten, in Gb/s (NVIDIA architecture white papers: 20, 25, 25, 25, 50
// GB/s; GA102 and its data-centre kin 14.0625 GB/s).
var nvlinkGbps = map[int]float64{60: 160, 70: 200, 80: 200, 86: 112.5, 90: 200, 100: 400, 103: 400}

// gpuPresets are the names of a scenario's GPU catalog, by the words that a
// product name has.
var gpuPresets = []struct {
	words  []string
	preset string
	sm     int
}{
	{[]string{"GB300"}, "", 103}, {[]string{"B300"}, "", 103},
	{[]string{"GB200"}, "gb200-186gb", 100}, {[]string{"B200"}, "b200-sxm-180gb", 100}, {[]string{"B100"}, "", 100},
	{[]string{"H200", "PCIE"}, "", 90}, {[]string{"GH200"}, "", 90}, {[]string{"H200"}, "h200-sxm-141gb", 90},
	{[]string{"H100", "PCIE"}, "", 90}, {[]string{"H100", "NVL"}, "", 90}, {[]string{"H100", "80GB"}, "h100-sxm5-80gb", 90},
	{[]string{"H100"}, "", 90}, {[]string{"H800"}, "", 90}, {[]string{"H20"}, "", 90},
	{[]string{"A100", "PCIE"}, "", 80}, {[]string{"A100", "40GB"}, "a100-sxm4-40gb", 80}, {[]string{"A100", "80GB"}, "a100-sxm4-80gb", 80},
	{[]string{"A100"}, "", 80}, {[]string{"A800"}, "", 80}, {[]string{"A30"}, "", 80},
	{[]string{"A40"}, "", 86}, {[]string{"A6000"}, "", 86}, {[]string{"A5000"}, "", 86}, {[]string{"3090"}, "", 86},
	{[]string{"V100", "SXM2", "32GB"}, "v100-sxm2-32gb", 70}, {[]string{"V100"}, "", 70}, {[]string{"P100"}, "", 60},
}

// presetOf finds a product in the catalog: "" and 0 where it is not known.
func presetOf(model string) (preset string, sm int) {
	m := strings.ToUpper(model)
	for _, g := range gpuPresets {
		all := true
		for _, w := range g.words {
			all = all && strings.Contains(m, w)
		}
		if all {
			return g.preset, g.sm
		}
	}
	return "", 0
}
