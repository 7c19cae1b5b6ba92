package trace

import (
	"fmt"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// microRows says which rows of an iteration are a micro-batch each: n rows from
// first on, as often as there are micro-batches, one after the other. n is 0 if
// the rows do not repeat.
type microRows struct{ first, n int }

// findMicroRows looks for m runs of rows with the same names, the longest there
// are. AICB writes an iteration so: the data-parallel collectives, every
// micro-batch from its embedding on, then the loss and the optimizer.
func findMicroRows(rows []Row, m int) microRows {
	if m == 1 {
		return microRows{0, len(rows)}
	}
	for n := len(rows) / m; n > 0; n-- {
		same := 0
		for i := 0; i+n < len(rows); i++ {
			if same++; rows[i].Name != rows[i+n].Name {
				same = 0
			}
			if same == (m-1)*n {
				return microRows{i + 1 - same, n}
			}
		}
	}
	return microRows{}
}

// Scheduled reports whether the stages of the pipeline run one micro-batch
// after the other (1F1B). Otherwise, since the rows of single micro-batches
// cannot be told apart, an iteration is followed by SimAI's analytical bubble.
func (p *LayerPlayer) Scheduled() bool { return p.l.Parallel.PP > 1 && p.micro.n > 0 }

// passing is the boundary of one micro-batch on its way between stages.
type passing struct {
	sent sim.Time
	done *sim.Event
}

// boundary names one: from stage from of replica d to the next, or the one
// before.
type boundary struct {
	iteration, from, to, d int
	micro                  int32
}

func (p *LayerPlayer) passing(x boundary) *passing {
	m := p.passed[x]
	if m == nil {
		m = &passing{done: sim.NewEvent(p.l.Parallel.TP)}
		p.passed[x] = m
	}
	return m
}

// pipeline runs an iteration by 1F1B: what comes before the micro-batches, then
// their forwards and backwards in the stage's order, then the loss and the
// optimizer, then the backward of what came before, whose weight gradients are
// those of the whole iteration.
func (b *block) pipeline(p *sim.Proc, iteration int) {
	l, at := &b.p.l, b.p.micro
	m := l.MicroBatches
	head, tail := l.Rows[:at.first], l.Rows[at.first+m*at.n:]
	var u updates
	b.forward(p, head)
	for _, a := range workload.OneFOneB.Actions(b.s, l.Parallel.PP, m, 1) {
		rows := l.Rows[at.first+int(a.Micro)*at.n:][:at.n]
		if a.Kind == workload.Forward {
			b.take(p, boundary{iteration, b.s - 1, b.s, b.d, a.Micro})
			b.forward(p, rows)
			b.give(p, boundary{iteration, b.s, b.s + 1, b.d, a.Micro})
		} else {
			b.take(p, boundary{iteration, b.s + 1, b.s, b.d, a.Micro})
			b.backward(p, rows, &u)
			b.give(p, boundary{iteration, b.s, b.s - 1, b.d, a.Micro})
		}
	}
	b.forward(p, tail)
	b.backward(p, tail, &u)
	b.backward(p, head, &u)
	b.update(p, u)
}

// give sends a micro-batch's boundary to a neighbouring stage, if there is one.
func (b *block) give(p *sim.Proc, x boundary) {
	l := &b.p.l
	if x.to < 0 || x.to >= l.Parallel.PP {
		return
	}
	m := b.p.passing(x)
	m.sent = p.Now()
	for t, g := range b.gpus {
		if l.PPBytes == 0 {
			m.done.Arrive(b.p.k)
			continue
		}
		b.p.messages++
		b.p.bytes += l.PPBytes
		b.p.mover.Send(g, b.p.gpu(t, b.d, x.to), l.PPBytes, 0, x.label(), m.done)
	}
}

func (x boundary) label() string {
	if x.to < x.from {
		return "pp_backward"
	}
	return "pp_forward"
}

// take waits for a boundary: until it is sent that is bubble, then
// communication.
func (b *block) take(p *sim.Proc, x boundary) {
	if x.from < 0 || x.from >= b.p.l.Parallel.PP {
		return
	}
	m := b.p.passing(x)
	if !m.done.Fired() {
		b.at = fmt.Sprintf("%s of micro-batch %d from stage %d", x.label(), x.micro, x.from)
		t0 := p.Now()
		p.Wait(m.done)
		sent := max(t0, m.sent)
		b.now.Bubble += sent - t0
		b.now.PPComm += p.Now() - sent
		b.span("wait", b.at, t0, p.Now())
	}
	delete(b.p.passed, x)
}
