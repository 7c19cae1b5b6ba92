package results

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Bins are network-wide counts over time: network.csv.
type Bins struct {
	Start                        sim.Time // of the first bin
	Bin                          sim.Time
	CNPs, Pauses, ECN, Delivered []int64
}

const binsHeader = "start_ns,bin_ns,cnps,pfc_pauses,ecn_marked,delivered_bytes\n"

func writeBins(w io.Writer, r *Run) error {
	b := &r.Report.Bins
	o := bufio.NewWriter(w)
	o.WriteString(binsHeader)
	at := func(v []int64, i int) int64 {
		if i < len(v) {
			return v[i]
		}
		return 0
	}
	congestion := func(i int) string { // empty where the engine has none
		if !r.modelled() {
			return ",,"
		}
		return fmt.Sprintf("%d,%d,%d", at(b.CNPs, i), at(b.Pauses, i), at(b.ECN, i))
	}
	n := max(len(b.CNPs), len(b.Pauses), len(b.ECN), len(b.Delivered))
	for i := range n {
		start := b.Start + sim.Time(i)*b.Bin
		fmt.Fprintf(o, "%s,%s,%s,%d\n", start.NanosExact(), b.Bin.NanosExact(), congestion(i), at(b.Delivered, i))
	}
	return o.Flush()
}

func readBins(path string) (Bins, error) {
	var b Bins
	err := readCSV(path, 6, func(p *fieldParser, rec []string) {
		if b.Bin = p.nanos(rec[1]); len(b.Delivered) == 0 {
			b.Start = p.nanos(rec[0])
		}
		if rec[2] != "" {
			b.CNPs = append(b.CNPs, p.int(rec[2]))
			b.Pauses = append(b.Pauses, p.int(rec[3]))
			b.ECN = append(b.ECN, p.int(rec[4]))
		}
		b.Delivered = append(b.Delivered, p.int(rec[5]))
	})
	return b, err
}

// Rates is the sending rate of one flow, constant between changes: rates.csv.
type Rates struct {
	Flow int
	Name string
	At   []sim.Time
	Rate []int64 // bit/s
}

const ratesHeader = "flow_id,flow,at_ns,rate_bps\n"

func writeRates(w io.Writer, r *Run) error {
	o := bufio.NewWriter(w)
	o.WriteString(ratesHeader)
	for i := range r.Report.Rates {
		s := &r.Report.Rates[i]
		name := csvField(flowName(r, s.Flow))
		for k := range s.At {
			fmt.Fprintf(o, "%d,%s,%s,%d\n", s.Flow, name, s.At[k].NanosExact(), int64(s.Rate[k]))
		}
	}
	return o.Flush()
}

func readRates(path string) ([]Rates, error) {
	var out []Rates
	err := readCSV(path, 4, func(p *fieldParser, rec []string) {
		id := int(p.int(rec[0]))
		k := len(out) - 1
		if k < 0 || out[k].Flow != id {
			out = append(out, Rates{Flow: id, Name: rec[1]})
			k++
		}
		out[k].At = append(out[k].At, p.nanos(rec[2]))
		out[k].Rate = append(out[k].Rate, p.int(rec[3]))
	})
	return out, err
}

const portTotalsHeader = "port,rate_bps,tx_bytes,tx_packets,utilisation,max_queue_bytes,ecn_marked,drops,pfc_pauses,pfc_paused_ns\n"

// writePortTotals writes ports.csv: the totals of every port that sent
// something. Columns that the engine does not model are empty.
func writePortTotals(w io.Writer, r *Run, busy sim.Time) error {
	o := bufio.NewWriter(w)
	o.WriteString(portTotalsHeader)
	for i := range r.Report.Ports {
		p := &r.Report.Ports[i]
		if p.TxBytes == 0 {
			continue
		}
		id := fabric.PortID(i)
		fmt.Fprintf(o, "%s,%d,%d,", csvField(r.Graph.PortName(id)), int64(r.Graph.Ports[i].Rate), p.TxBytes)
		u := strconv.FormatFloat(utilisation(r, id, busy), 'f', 6, 64)
		if r.modelled() {
			fmt.Fprintf(o, "%d,%s,%d,%d,%d,%d,%s\n", p.TxPackets, u, p.MaxQueue, p.ECNMarked, p.Drops, p.Pauses, p.Paused.NanosExact())
		} else {
			fmt.Fprintf(o, ",%s,,,,,\n", u)
		}
	}
	return o.Flush()
}

// readCSV calls line for each record after the header and stops at the first
// error. A file that is absent has no records.
func readCSV(path string, fields int, line func(p *fieldParser, rec []string)) error {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	r.FieldsPerRecord = fields
	for n := 1; ; n++ {
		rec, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if n == 1 {
			continue
		}
		p := fieldParser{path: path, line: n}
		if line(&p, rec); p.err != nil {
			return p.err
		}
	}
}
