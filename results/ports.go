package results

import (
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// portRow is a row of ports.parquet: one bin of one port's egress queue. Times
// are in picoseconds, lengths in bytes; a threshold of 0 means there is none.
type portRow struct {
	Port     string `parquet:"port,dict"`
	StartPS  int64  `parquet:"start_ps,delta"`
	BinPS    int64  `parquet:"bin_ps,delta"`
	MaxQueue int64  `parquet:"max_queue_bytes,delta"`
	Kmin     int64  `parquet:"kmin_bytes,delta"`
	Kmax     int64  `parquet:"kmax_bytes,delta"`
	XOFF     int64  `parquet:"xoff_bytes,delta"`
}

// writePorts writes the queue telemetry that the engine kept: its size is the
// engine's budget. The file's creator is fixed, so that equal data give equal
// bytes.
func writePorts(w io.Writer, g *fabric.Graph, queues []fabric.QueueSeries) error {
	pw := parquet.NewGenericWriter[portRow](w, parquet.CreatedBy("simnet", "1", "0"), parquet.Compression(&parquet.Snappy))
	var rows []portRow
	for i := range queues {
		q := &queues[i]
		rows = rows[:0]
		name := g.PortName(q.Port)
		for k, m := range q.Max {
			rows = append(rows, portRow{
				Port: name, StartPS: int64(q.Start + sim.Time(k)*q.Bin), BinPS: int64(q.Bin),
				MaxQueue: m, Kmin: q.Kmin, Kmax: q.Kmax, XOFF: q.XOFF,
			})
		}
		if _, err := pw.Write(rows); err != nil {
			return err
		}
	}
	return pw.Close()
}

// Queue is one port's egress queue over time, read back.
type Queue struct {
	Port  string
	Start sim.Time
	Bin   sim.Time
	Max   []int64 // bytes

	Kmin, Kmax, XOFF int64
}

func readPorts(path string) ([]Queue, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, st.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := parquet.NewGenericReader[portRow](file)
	defer r.Close()
	var out []Queue
	buf := make([]portRow, 1024)
	for {
		n, err := r.Read(buf)
		for _, row := range buf[:n] {
			k := len(out) - 1
			if k < 0 || out[k].Port != row.Port {
				out = append(out, Queue{Port: row.Port, Start: sim.Time(row.StartPS), Bin: sim.Time(row.BinPS), Kmin: row.Kmin, Kmax: row.Kmax, XOFF: row.XOFF})
				k++
			}
			out[k].Max = append(out[k].Max, row.MaxQueue)
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}
