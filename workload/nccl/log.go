package nccl

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Measured is one pass of one size in an nccl-tests log. A column that the log
// does not have is NaN.
type Measured struct {
	TimeUS, AlgGBs, BusGBs float64
}

// LogRow is one size of a log.
type LogRow struct {
	Line       int // in the file
	Bytes      int64
	Count      int64  // elements, 0 if the log has no such column
	Type       string // empty likewise
	RedOp      string
	Root       int
	OutOfPlace Measured
	InPlace    Measured
}

// Log is a parsed nccl-tests run.
type Log struct {
	Name    string
	Op      Collective
	OpKnown bool // told by the log or its name; else AllReduce is assumed
	Ranks   int  // from the "Rank" lines or busbw/algbw, 0 if neither tells
	Version Version
	Rows    []LogRow
	Skipped []string // lines that look like rows and are not, as name:line: reason
}

var (
	rankLine    = regexp.MustCompile(`^#\s+Rank\s+(\d+)\s`)
	versionLine = regexp.MustCompile(`(?:NCCL version|nccl-headers=\d+ nccl-library=)\s*([0-9.]+)`)
	prefixTag   = regexp.MustCompile(`^(?:\[?\d+\]?:|\[\d+(?:,\d+)?\](?:<\w+>:?)?)\s*`) // mpirun --tag-output, srun -l
	opLine      = regexp.MustCompile(`\b(all_reduce|all_gather|reduce_scatter|broadcast|reduce|alltoall|sendrecv)_perf\b`)
)

// ParseLog reads the table of an nccl-tests run: the layout of every version
// since 2.0 (with one or two #wrong columns, with or without them), prefixes
// of mpirun and srun, sizes with "_" between digits, and tables cut down to
// size, time, algbw and busbw. It fails if no row is found.
func ParseLog(name string, r io.Reader) (*Log, error) {
	l := &Log{Name: name, Op: AllReduce}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		line := prefixTag.ReplaceAllString(strings.TrimRight(sc.Text(), " \r\t"), "")
		if m := opLine.FindStringSubmatch(line); m != nil && !l.OpKnown {
			if op, err := ParseCollective(m[1]); err == nil {
				l.Op, l.OpKnown = op, true
			}
		}
		if m := rankLine.FindStringSubmatch(line); m != nil {
			if v, err := strconv.Atoi(m[1]); err == nil {
				l.Ranks = max(l.Ranks, v+1)
			}
		}
		if m := versionLine.FindStringSubmatch(line); m != nil && l.Version == 0 {
			if v, err := versionOf(m[1]); err == nil {
				l.Version = v
			}
		}
		t := strings.TrimSpace(line)
		if t == "" || t[0] < '0' || t[0] > '9' {
			continue
		}
		row, err := parseLogRow(strings.Fields(t))
		if err != nil {
			l.Skipped = append(l.Skipped, fmt.Sprintf("%s:%d: %v", name, n, err))
			continue
		}
		row.Line = n
		l.Rows = append(l.Rows, row)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(l.Rows) == 0 {
		why := "expected lines of size, count, type, redop, root, time, algbw, busbw"
		if len(l.Skipped) > 0 {
			why = l.Skipped[0]
		}
		return nil, fmt.Errorf("%s: no nccl-tests rows found: %s", name, why)
	}
	flat := strings.ReplaceAll(strings.ToLower(name), "_", "")
	for c := AllReduce; c < numCollectives && !l.OpKnown; c++ {
		if strings.Contains(flat, strings.ReplaceAll(c.String(), "_", "")) {
			l.Op, l.OpKnown = c, true
		}
	}
	l.infer()
	return l, nil
}

func versionOf(s string) (Version, error) {
	if n, err := strconv.Atoi(s); err == nil && n >= 20000 {
		return Version(n), nil
	}
	return ParseVersion(strings.Trim(s, "."))
}

func parseLogRow(f []string) (LogRow, error) {
	row := LogRow{Root: -1}
	var err error
	if row.Bytes, err = strconv.ParseInt(strings.ReplaceAll(f[0], "_", ""), 10, 64); err != nil {
		return row, fmt.Errorf("size %q is not a whole number", f[0])
	}
	rest := f[1:]
	if len(f) >= 8 { // size count type redop root ...
		if row.Count, err = strconv.ParseInt(f[1], 10, 64); err != nil {
			return row, fmt.Errorf("count %q is not a whole number", f[1])
		}
		row.Type, row.RedOp = f[2], f[3]
		if row.Root, err = strconv.Atoi(f[4]); err != nil {
			return row, fmt.Errorf("root %q is not a whole number", f[4])
		}
		rest = f[5:]
	}
	if len(rest) < 3 {
		return row, fmt.Errorf("%d columns: want at least size, time, algbw, busbw", len(f))
	}
	if row.OutOfPlace, err = measured(rest); err != nil {
		return row, err
	}
	row.InPlace = Measured{math.NaN(), math.NaN(), math.NaN()}
	switch {
	case len(rest) >= 7: // time algbw busbw #wrong, twice
		row.InPlace, err = measured(rest[4:])
	case len(rest) == 6: // without #wrong
		row.InPlace, err = measured(rest[3:])
	}
	if err == nil && row.Bytes > 0 && row.OutOfPlace.TimeUS <= 0 {
		err = fmt.Errorf("time %g us", row.OutOfPlace.TimeUS)
	}
	return row, err
}

func measured(f []string) (Measured, error) {
	var v [3]float64
	for i := range v {
		x, err := strconv.ParseFloat(strings.ReplaceAll(f[i], "_", ""), 64)
		if err != nil {
			return Measured{}, fmt.Errorf("%q is not a number", f[i])
		}
		v[i] = x
	}
	return Measured{v[0], v[1], v[2]}, nil
}

// infer finds the number of ranks from busbw/algbw of the largest size when
// the log does not list them: 2(n-1)/n for all_reduce, (n-1)/n for the halves.
func (l *Log) infer() {
	if l.Ranks > 0 {
		return
	}
	best := LogRow{}
	for _, r := range l.Rows {
		if r.Bytes > best.Bytes && r.OutOfPlace.AlgGBs > .5 {
			best = r
		}
	}
	if best.Bytes == 0 {
		return
	}
	f := best.OutOfPlace.BusGBs / best.OutOfPlace.AlgGBs
	switch l.Op {
	case AllReduce:
		f /= 2
	case AllGather, ReduceScatter, AllToAll:
	default:
		return
	}
	if f > .4 && f < .9999 {
		l.Ranks = int(math.Round(1 / (1 - f)))
	}
}
