package workload

import (
	"github.com/simnet/simnet/sim"
)

// gemm is a matrix product: m x k times k x n, count times.
type gemm struct {
	m, n, k float64
	count   float64
}

func (g gemm) flops() float64 { return 2 * g.m * g.n * g.k * g.count }

// tiles are the output tiles that a GEMM library chooses from, with the
// fraction of the best throughput each reaches: a tile of a x b loads a+b
// values for a*b products, so smaller ones wait for memory (NVIDIA, Matrix
// Multiplication Background User's Guide, "Tile quantization" and "Wave
// quantization").
var tiles = [...]struct{ m, n, relative float64 }{
	{256, 128, 1}, {128, 256, 1}, {128, 128, 0.92}, {128, 64, 0.78}, {64, 128, 0.78}, {64, 64, 0.6},
}

// memoryFraction is what streaming kernels reach of the HBM's data-sheet
// bandwidth: 0.80 to 0.85 in the STREAM figures that vendors publish for A100
// and H100; element-wise kernels with a reduction stay at the lower end.
const memoryFraction = 0.8

// fill is the depth at which a tile's main loop costs as much as its prologue
// and epilogue: loading the first operands takes about 1 us, in which an SM
// advances a 256x128 tile by some 64 to 128 values of k.
const fill = 96

// quantised returns the factor by which a GEMM is slower than its FLOPs at the
// large-product efficiency suggest: partial tiles, the last partial wave over
// the SMs, and a short inner dimension.
func (t *GPUType) quantised(g gemm) float64 {
	loss := (g.k + fill) / g.k / (1 + fill/4096.0) // 1 at the k of calibration GEMMs
	if t.SMs == 0 {
		return max(loss, 1)
	}
	best := 0.0
	for _, c := range tiles {
		n := ceilF(g.m/c.m) * ceilF(g.n/c.n) * g.count
		waves := ceilF(n / float64(t.SMs))
		used := g.m * g.n * g.count / (waves * float64(t.SMs) * c.m * c.n) * c.relative
		best = max(best, used)
	}
	return max(loss/best, 1)
}

func ceilF(x float64) float64 {
	i := float64(int64(x))
	if i < x {
		i++
	}
	return i
}

// gemmTime returns picoseconds for g at the given peak FLOP/s, never less than
// it takes to read the operands and write the result, e bytes a value.
func (t *GPUType) gemmTime(g gemm, peak float64, e float64) float64 {
	if g.m == 0 || g.n == 0 || g.k == 0 || g.count == 0 {
		return 0
	}
	math := g.flops() / (peak * t.Efficiency) * t.quantised(g) * 1e12
	return max(math, t.memoryTime(e*g.count*(g.m*g.k+g.k*g.n+g.m*g.n)))
}

// memoryTime returns picoseconds to move bytes through HBM.
func (t *GPUType) memoryTime(bytes float64) float64 {
	return bytes * 8e12 / (float64(t.MemoryBW) * memoryFraction)
}

func toTime(ps float64) sim.Time { return sim.Time(ps + 0.5) }
