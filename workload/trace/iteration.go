package trace

import (
	"fmt"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// iterate runs the rows once, and then the bubble that a pipeline would have.
func (b *block) iterate(p *sim.Proc) {
	l := &b.p.l
	var u updates
	b.forward(p, l.Rows)
	b.pass(p, b.s+1)
	b.backward(p, l.Rows, &u)
	b.pass(p, b.s-1)
	bubble := (b.now.Compute + b.now.TPComm + b.now.EPComm) * sim.Time(l.Parallel.PP-1) / sim.Time(l.MicroBatches)
	if bubble > 0 {
		p.Sleep(bubble)
		b.now.Bubble += bubble
		b.span("bubble", "bubble", p.Now()-bubble, p.Now())
	}
	b.update(p, u)
}

// updates are the rows whose weights are still to be updated, with the
// collective of their gradients.
type updates []struct {
	done *sim.Event // nil: none
	row  *Row
}

func (b *block) forward(p *sim.Proc, rows []Row) {
	for i := range rows {
		b.phase(p, &rows[i], "forward", &rows[i].Forward)
	}
}

func (b *block) backward(p *sim.Proc, rows []Row, u *updates) {
	for i := len(rows) - 1; i >= 0; i-- {
		r := &rows[i]
		b.phase(p, r, "input_grad", &r.InputGrad)
		b.compute(p, r.WeightGrad.Time, "weight_grad of row "+r.Name)
		*u = append(*u, struct {
			done *sim.Event
			row  *Row
		}{b.issue(&r.WeightGrad), r})
	}
}

// update waits for the weight gradients' collectives, each before the update of
// its row.
func (b *block) update(p *sim.Proc, us updates) {
	for _, u := range us {
		if u.done != nil {
			b.at = fmt.Sprintf("weight_grad of row %s: %s of group %s", u.row.Name, u.row.WeightGrad.Collective, u.row.WeightGrad.Group)
			b.wait(p, u.done, b.part(u.row.WeightGrad.Group))
		}
		b.compute(p, u.row.Update, "update of row "+u.row.Name)
	}
}

// phase computes, then waits for the collective.
func (b *block) phase(p *sim.Proc, r *Row, name string, ph *Phase) {
	b.compute(p, ph.Time, name+" of row "+r.Name)
	if done := b.issue(ph); done != nil {
		b.at = fmt.Sprintf("%s of row %s: %s of group %s", name, r.Name, ph.Collective, ph.Group)
		b.wait(p, done, b.part(ph.Group))
	}
}

func (b *block) compute(p *sim.Proc, d sim.Time, name string) {
	if d > 0 {
		p.Sleep(d)
		b.now.Compute += d
		b.span("compute", name, p.Now()-d, p.Now())
	}
}

// span notes what the block's first rank did.
func (b *block) span(kind, name string, from, to sim.Time) {
	b.p.spans.add(Span{(b.s*b.p.l.Parallel.DP + b.d) * b.p.l.Parallel.TP, kind, name, from, to})
}

// issue starts a phase's collective; nil if it has none.
func (b *block) issue(ph *Phase) *sim.Event {
	if ph.Collective == "" {
		return nil
	}
	m := b.comms[ph.Group]
	b.p.bytes += ph.Bytes * int64(len(b.gpus))
	done, err := m.comm.Issue(m.i, ph.Collective, workload.Share{Bytes: ph.Bytes, Root: workload.NoRoot}, ph.Group+"_"+string(ph.Collective))
	if err != nil {
		panic("trace: replicas that run the same rows disagree: " + err.Error())
	}
	return done
}
