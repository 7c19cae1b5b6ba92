package nccl

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/simnet/simnet/sim"
)

// TableRow is one size of a printed table. InPlace equal to OutOfPlace prints
// the same figures twice: a simulator has no second buffer to copy through.
type TableRow struct {
	Bytes               int64 // as asked for
	OutOfPlace, InPlace sim.Time
}

// TableHead says what a table was measured on.
type TableHead struct {
	Op    Collective
	Ranks int
	Type  string // of elements: float, half, bfloat16, int8, ...; empty: float
	Lines []string
}

// typeBytes is the size of nccl-tests' element types.
var typeBytes = map[string]int64{
	"int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
	"half": 2, "float": 4, "double": 8, "bfloat16": 2, "f8e4m3": 1, "f8e5m2": 1,
}

// TypeBytes is the size of an nccl-tests element type.
func TypeBytes(name string) (int64, error) {
	if n, ok := typeBytes[name]; ok {
		return n, nil
	}
	return 0, fmt.Errorf("unknown element type %q: int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 f8e4m3 f8e5m2", name)
}

// count is the "count" column: elements of the buffer that the size describes;
// per rank for the operations that split it.
func (h TableHead) count(bytes, size int64) int64 {
	switch h.Op {
	case AllGather, ReduceScatter, AllToAll:
		return bytes / size / int64(h.Ranks)
	}
	return bytes / size
}

// WriteTable prints a run as nccl-tests does: the same columns at the same
// places, so that it can be laid beside a real log. It fails if the element
// type is unknown or w fails.
func WriteTable(w io.Writer, h TableHead, rows []TableRow) error {
	if h.Type == "" {
		h.Type = "float"
	}
	size, err := TypeBytes(h.Type)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, l := range h.Lines {
		fmt.Fprintf(&b, "# %s\n", l)
	}
	b.WriteString("#\n")
	b.WriteString("#                                                              out-of-place                       in-place          \n")
	b.WriteString("#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n")
	b.WriteString("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n")
	redop, root := "sum", "-1"
	switch h.Op {
	case AllGather, AllToAll, Broadcast:
		redop = "none"
	case SendRecv:
		redop = "sum" // nccl-tests prints the default operation here
	}
	if h.Op == Broadcast || h.Op == Reduce {
		root = "0"
	}
	var sum float64
	for _, r := range rows {
		fmt.Fprintf(&b, "%12d  %12d  %8s  %6s  %6s", r.Bytes, h.count(r.Bytes, size), h.Type, redop, root)
		for _, t := range [...]sim.Time{r.OutOfPlace, r.InPlace} {
			alg := 0.0
			if t > 0 {
				alg = float64(r.Bytes) / t.Seconds() / 1e9
			}
			bus := alg * h.Op.BusFactor(h.Ranks)
			sum += bus
			fmt.Fprintf(&b, "  %7s  %6s  %6s  %5s", timeColumn(us(t)), fmt.Sprintf("%.2f", alg), fmt.Sprintf("%.2f", bus), "0")
		}
		b.WriteString("\n")
	}
	if len(rows) > 0 {
		b.WriteString("# Out of bounds values : 0 OK\n")
		fmt.Fprintf(&b, "# Avg bus bandwidth    : %g \n", round(sum/float64(2*len(rows)), 6))
	}
	b.WriteString("#\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// timeColumn prints microseconds in seven columns with as many decimals as
// nccl-tests: two below 100, one below 10,000, none from there.
func timeColumn(t float64) string {
	switch {
	case t >= 9999.95:
		return strconv.FormatFloat(t, 'f', 0, 64)
	case t >= 99.995:
		return strconv.FormatFloat(t, 'f', 1, 64)
	}
	return strconv.FormatFloat(t, 'f', 2, 64)
}

func round(x float64, digits int) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return v
}

// Sweep returns sizes from lo to hi, each factor times the one before, rounded
// down to whole elements on every rank as nccl-tests does.
func Sweep(op Collective, ranks int, lo, hi, factor, element int64) []int64 {
	var sizes []int64
	unit := element
	switch op {
	case AllGather, ReduceScatter, AllToAll:
		unit *= int64(ranks)
	}
	for b := lo; b <= hi && factor > 1; b *= factor {
		if s := b / unit * unit; s > 0 {
			sizes = append(sizes, s)
		}
		if b > (1<<62)/factor {
			break
		}
	}
	return sizes
}
