package importer

// GPUPresets are the presets of the catalog that importers name.
func GPUPresets() []string {
	out := []string{"a100-sxm4-80gb"} // of htsim's hosts
	for _, g := range gpuPresets {
		if g.preset != "" {
			out = append(out, g.preset)
		}
	}
	return out
}
