package reference

import (
	"io"

	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// effect is what one deviation does to one case: without has the reference's
// meaning of the matter, with simnet's.
type effect struct {
	name          string
	without, with Row
}

// fctOf returns the completion time that m looks at, in ps: of the reference,
// of simnet.
func (r *Row) fctOf(m metric) (want, got float64) {
	if m == meanFlow || m == noTime {
		return float64(r.MeanFCT.Reference), float64(r.MeanFCT.Simnet)
	}
	at := 0
	for i, b := range r.bytes {
		if m == largestFlow && b > r.bytes[at] || m == smallestFlow && b < r.bytes[at] {
			at = i
		}
	}
	return float64(r.want[at]), r.fct[at]
}

// bare takes back every deviation that a configuration can take back.
func bare(c *packet.Config) {
	for i := range deviations {
		if deviations[i].revert != nil {
			deviations[i].revert(c)
		}
	}
}

// measure runs the cases of a deviation. What a configuration can take back is
// compared with the own mode in all other respects; the rest, which is a
// matter of the whole mode, is the bare own mode against the reference.
func (d *deviation) measure(seeds int) ([]effect, error) {
	if len(d.cases) == 0 {
		return nil, nil
	}
	o := Options{Cases: d.cases, Seeds: seeds, Own: true}
	if d.seeds {
		o.Seeds = 1
	}
	if d.revert == nil && !d.seeds {
		o.Config = bare
		t, err := Run(o)
		if err != nil {
			return nil, err
		}
		var out []effect
		for i := range t.Rows {
			r := &t.Rows[i]
			ref := *r
			ref.MeanFCT.Simnet, ref.Counters.Simnet = r.MeanFCT.Reference, r.Counters.Reference
			ref.fct = make([]float64, len(r.want))
			for j, w := range r.want {
				ref.fct[j] = float64(w)
			}
			out = append(out, effect{r.Case, ref, *r})
		}
		return out, nil
	}
	with, err := Run(o)
	if err != nil {
		return nil, err
	}
	o.Config = d.revert
	if d.seeds {
		o.FirstSeed = 2
	}
	without, err := Run(o)
	if err != nil {
		return nil, err
	}
	var out []effect
	for i := range with.Rows {
		out = append(out, effect{with.Rows[i].Case, without.Rows[i], with.Rows[i]})
	}
	return out, nil
}

// worst is the largest relative change of a completion time.
func (e *effect) worst() float64 {
	most := 0.0
	for i := range e.with.fct {
		if d := e.with.fct[i]/e.without.fct[i] - 1; d*d > most*most {
			most = d
		}
	}
	return most
}

// WriteDeviations writes DEVIATIONS.md with every effect measured anew, over
// that many seeds for random cases.
func WriteDeviations(w io.Writer, seeds int) error {
	p := &printer{w: w}
	p.f("# Where simnet differs from the reference\n\n")
	p.f("Made by `go test ./results/validate/reference -run TestDocs -update`; the effects are measured, not estimated.\n\n")
	p.f("The reference is the HPCC ns-3.17 RoCE model ([docs/fidelity-packet.md](docs/fidelity-packet.md)). In compatibility mode (`simnet replay --config`) simnet gives every key the reference's meaning and reproduces its completion times to the nanosecond. In its own mode, which scenarios use, it differs in the matters below.\n\n")
	p.f("How an effect is measured: where the engine's configuration can take one matter back, the own mode with it and without it (D3 to D8, D13); else the own mode with all of those taken back against the reference (D1, D2, D9, D11, D17), on cases that isolate the matter. *Worst flow* is the largest change of a single completion time. Random cases are means of %d seeds.\n\n", seeds)
	for i := range deviations {
		d := &deviations[i]
		eff, err := d.measure(seeds)
		if err != nil {
			return err
		}
		p.f("## %s. %s\n\n- Reference: %s\n- simnet: %s\n- Why: %s\n\n", d.id, d.title, d.reference, d.simnet, d.why)
		if len(eff) == 0 {
			p.f("Effect on the reference cases: none, no case exercises it.\n\n")
			continue
		}
		a, b := "without", "with"
		if d.seeds {
			a, b = "seed 2", "seed 1"
		}
		p.f("| case | %s, ms: %s | %s | effect | worst flow | ECN marks | pauses | largest queue, kB |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n", d.metric, a, b)
		for j := range eff {
			e := &eff[j]
			_, a := e.without.fctOf(d.metric)
			_, b := e.with.fctOf(d.metric)
			x, y := &e.without.Counters.Simnet, &e.with.Counters.Simnet
			switch d.metric {
			case noTime:
				p.f("| %s | - | - | - | - ", e.name)
			case meanFlow:
				p.f("| %s | %.6f | %.6f | %+.2f %% | %+.2f %% ", e.name, ms(sim.Time(a)), ms(sim.Time(b)), 100*(b/a-1), 100*e.worst())
			default:
				p.f("| %s | %.6f | %.6f | %+.2f %% | - ", e.name, ms(sim.Time(a)), ms(sim.Time(b)), 100*(b/a-1))
			}
			p.f("| %.0f / %.0f | %.0f / %.0f | %.1f / %.1f |\n", x.Marks, y.Marks, x.Pauses, y.Pauses, x.MaxQueue/1000, y.MaxQueue/1000)
		}
		p.f("\n")
	}
	p.f("%s", kept)
	return p.err
}

// kept is what simnet leaves as the reference has it.
const kept = `## Kept

Simplifications that simnet shares with the reference, in both modes:

- A pause is taken back when a packet of the same ingress leaves, not at the moment at which another ingress's departure raises the threshold: later by less than one packet of that ingress.
- The inputs know no pipeline latency, FEC latency or NIC latency, so a replay has none; scenarios take them from the presets.
- Clocks are perfect, cables do not vary, and a QP's packets never overtake each other on one path.
`
