package results

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

const flowsHeader = "flow_id,src,dst,bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,traffic_class,job,collective\n"

// WriteFlows writes flows.csv: times in ns with three decimals, in order of
// flow_id; fct_ns and slowdown are empty for an unfinished flow.
func WriteFlows(w io.Writer, g *fabric.Graph, flows []fabric.FlowRecord) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if _, err := b.WriteString(flowsHeader); err != nil {
		return err
	}
	var line []byte
	for i := range flows {
		f := &flows[i]
		line = strconv.AppendInt(line[:0], int64(i), 10)
		line = append(line, ',')
		line = append(line, csvField(g.Nodes[f.Src].Name)...)
		line = append(line, ',')
		line = append(line, csvField(g.Nodes[f.Dst].Name)...)
		line = append(line, ',')
		line = strconv.AppendInt(line, f.Bytes, 10)
		line = append(line, ',')
		line = f.Start.AppendNanos(line)
		line = append(line, ',')
		if f.FCT >= 0 {
			line = f.FCT.AppendNanos(line)
		}
		line = append(line, ',')
		line = f.Ideal.AppendNanos(line)
		line = append(line, ',')
		if s, ok := slowdown(f); ok {
			line = strconv.AppendFloat(line, s, 'f', 6, 64)
		}
		line = append(line, ',')
		line = strconv.AppendUint(line, uint64(f.Class), 10)
		line = append(line, ',')
		line = append(line, csvField(f.Job)...)
		line = append(line, ',')
		line = append(line, csvField(f.Label)...)
		line = append(line, '\n')
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

func csvField(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// FlowRow is a line of flows.csv read back.
type FlowRow struct {
	Src, Dst string
	Bytes    int64
	Start    sim.Time
	FCT      sim.Time // negative if unfinished
	Ideal    sim.Time
	Slowdown float64 // NaN if unknown
	Class    int
	Job      string
	Label    string
}

func readFlows(path string) ([]FlowRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReaderSize(f, 1<<16))
	r.ReuseRecord = true
	r.FieldsPerRecord = strings.Count(flowsHeader, ",") + 1
	if _, err := r.Read(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var rows []FlowRow
	// The names repeat from line to line: keep one copy of each.
	intern := map[string]string{}
	keep := func(s string) string {
		k, ok := intern[s]
		if !ok {
			k = strings.Clone(s)
			intern[k] = k
		}
		return k
	}
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		row := FlowRow{Src: keep(rec[1]), Dst: keep(rec[2]), FCT: -1, Slowdown: math.NaN(), Job: keep(rec[9]), Label: keep(rec[10])}
		p := fieldParser{path: path, line: len(rows) + 2}
		row.Bytes = p.int(rec[3])
		row.Start = p.nanos(rec[4])
		if rec[5] != "" {
			row.FCT = p.nanos(rec[5])
		}
		row.Ideal = p.nanos(rec[6])
		if rec[7] != "" {
			row.Slowdown = p.float(rec[7])
		}
		row.Class = int(p.int(rec[8]))
		if p.err != nil {
			return nil, p.err
		}
		rows = append(rows, row)
	}
}

// fieldParser parses the fields of one line and keeps the first error.
type fieldParser struct {
	path string
	line int
	err  error
}

func (p *fieldParser) fail(s, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d: %q is not %s", p.path, p.line, s, want)
	}
}

func (p *fieldParser) int(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.fail(s, "a whole number")
	}
	return n
}

func (p *fieldParser) float(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		p.fail(s, "a number")
	}
	return x
}

// nanos reads nanoseconds with up to three decimals exactly.
func (p *fieldParser) nanos(s string) sim.Time {
	whole, frac, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(frac) > 3 || n > math.MaxInt64/1000 {
		p.fail(s, "a time in ns with at most three decimals")
		return 0
	}
	var ps int64
	if frac != "" {
		if ps, err = strconv.ParseInt((frac + "00")[:3], 10, 64); err != nil {
			p.fail(s, "a time in ns with at most three decimals")
		}
	}
	if strings.HasPrefix(whole, "-") {
		ps = -ps
	}
	return sim.Time(n*1000 + ps)
}
