package results

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// Every figure of a run that has data for it is made, and again from the
// directory alone with the same bytes. SIMNET_FIGURES=DIR keeps them for a
// look.
func TestPlotFromDirectoryAlone(t *testing.T) {
	base := t.TempDir()
	if d := os.Getenv("SIMNET_FIGURES"); d != "" {
		base = d
	}
	dir := filepath.Join(base, "packet")
	if _, err := Write(synthetic("packet"), dir, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	before := hashes(t, dir)
	for _, f := range figures {
		for _, ext := range []string{".png", ".svg"} {
			if before["plots/"+f.name+ext] == "" {
				t.Errorf("plots/%s%s is missing", f.name, ext)
			}
		}
	}
	if err := Plot(dir); err != nil {
		t.Fatal(err)
	}
	for name, h := range hashes(t, dir) {
		if before[name] != h {
			t.Errorf("%s changed when it was made again", name)
		}
	}
}

func TestScalingAndValidationFigures(t *testing.T) {
	base := t.TempDir()
	if d := os.Getenv("SIMNET_FIGURES"); d != "" {
		base = d
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var strong, weak []ScalingPoint
	for i, n := range []int{256, 512, 1024, 2048, 4096, 10240} {
		var a, b []float64
		for range 5 {
			a = append(a, float64(n)*140/(1+0.07*float64(i*i))*(1+0.02*rng.NormFloat64()))
			b = append(b, float64(n)*140/(1+0.02*float64(i))*(1+0.01*rng.NormFloat64()))
		}
		strong, weak = append(strong, ScalingPoint{GPUs: n, TokensPerS: a}), append(weak, ScalingPoint{GPUs: n, TokensPerS: b})
	}
	s, err := NewScalingCurve("strong scaling, global batch 1,536", strong)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewScalingCurve("weak scaling, 6 sequences a GPU", weak)
	if err != nil {
		t.Fatal(err)
	}
	if err := PlotScaling(filepath.Join(base, "scaling"), "GPT-3 175B · flow fidelity", s, w); err != nil {
		t.Fatal(err)
	}
	var rows []ValidationRow
	for i := range 60 {
		m := math.Exp(rng.Float64() * 6)
		rows = append(rows, ValidationRow{Group: []string{"DGX A100", "DGX H100", "DGX-1"}[i%3], Name: "x", Measured: m, Predicted: m * math.Exp(0.08*rng.NormFloat64()), Calibrated: i%4 == 0})
	}
	v := ValidationFigure{Title: "All-reduce bus bandwidth", Context: "nccl-tests, 1 MB to 8 GB", Quantity: "bus bandwidth", Unit: "GB/s", Source: "published nccl-tests logs"}
	if err := PlotValidation(filepath.Join(base, "validation"), v, rows); err != nil {
		t.Fatal(err)
	}
	if err := PlotValidation(filepath.Join(base, "none"), v, []ValidationRow{{Name: "bad", Measured: 0, Predicted: 1}}); err == nil {
		t.Error("a row without measurement was drawn")
	}
	dir := filepath.Join(base, "packet")
	if _, err := Write(synthetic("packet"), dir, WriteOptions{NoPlots: true, NoReport: true}); err != nil {
		t.Fatal(err)
	}
	d, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	calm := *d
	calm.Bins.CNPs = make([]int64, len(d.Bins.CNPs))
	if err := PlotVariants(filepath.Join(base, "variants"), "Staggered collectives end the storm", "synthetic", []Variant{{"as it was", d}, {"staggered", &calm}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"scaling", "validation", "variants"} {
		if st, err := os.Stat(filepath.Join(base, name+".png")); err != nil || st.Size() < 10_000 {
			t.Errorf("%s.png: %v", name, err)
		}
	}
}
