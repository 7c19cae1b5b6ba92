package collectives

import (
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simnet/simnet/workload/nccl"
)

//go:embed data/*.csv
var data embed.FS

// Role says what a measured row may be used for.
type Role string

// The roles. An extra row belongs to no use of the split: it is predicted and
// shown, and enters no target.
const (
	Calibrate Role = "calibrate"
	Predict   Role = "predict"
	Negative  Role = "negative"
	Extra     Role = "extra"
)

// Row is one measured point.
type Row struct {
	Log        string
	Collective nccl.Collective
	Nodes      int
	GPUs       int
	Bytes      int64
	TimeUS     float64 // out of place, whole call
	BusGBs     float64
	Role       Role
}

// ID names the row: log/collective/bytes.
func (r Row) ID() string { return fmt.Sprintf("%s/%s/%d", r.Log, r.Collective, r.Bytes) }

// Rows returns all measured rows in the order of the files.
func Rows() ([]Row, error) {
	var rows []Row
	files, err := data.ReadDir("data")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			return nil, err
		}
		r := csv.NewReader(strings.NewReader(string(b)))
		r.Comment = '#'
		recs, err := r.ReadAll()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		for _, rec := range recs[1:] {
			row, err := parseRow(rec)
			if err != nil {
				return nil, fmt.Errorf("%s: %v: %w", f.Name(), rec, err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func parseRow(rec []string) (Row, error) {
	c, err := nccl.ParseCollective(rec[1])
	if err != nil {
		return Row{}, err
	}
	var f [5]float64
	for i, s := range rec[2:7] {
		if f[i], err = strconv.ParseFloat(s, 64); err != nil {
			return Row{}, err
		}
	}
	row := Row{rec[0], c, int(f[0]), int(f[1]), int64(f[2]), f[3], f[4], Role(rec[7])}
	if !slices.Contains([]Role{Calibrate, Predict, Negative, Extra}, row.Role) {
		return row, fmt.Errorf("unknown role %q", rec[7])
	}
	if row.TimeUS <= 0 || row.Bytes <= 0 {
		return row, fmt.Errorf("time and size must be positive")
	}
	return row, nil
}
