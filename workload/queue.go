package workload

import "github.com/simnet/simnet/sim"

// collQueue runs the collectives of one group one after the other, as the
// stream of a communicator does: an operation starts once every member has
// issued it and the one before has ended.
type collQueue struct {
	k       *sim.Kernel
	members int
	base    int // number of the operation at ops[0]
	ops     []*collOp
	running bool
}

type collOp struct {
	joined int
	start  func(done *sim.Event)
	began  sim.Time // when the last member had joined and the stream was free
	done   sim.Event
}

// join issues operation i (each member counts from 0) and returns it.
// start must set done going: it expects arrivals on it, at least one.
func (q *collQueue) join(i int, start func(done *sim.Event)) *collOp {
	for q.base+len(q.ops) <= i {
		q.ops = append(q.ops, &collOp{})
	}
	op := q.ops[i-q.base]
	op.joined++
	if op.joined == q.members {
		op.start = start
		q.next()
	}
	return op
}

// busy reports whether an operation is moving.
func (q *collQueue) busy() bool { return q.running }

func (q *collQueue) next() {
	if q.running || len(q.ops) == 0 || q.ops[0].joined < q.members {
		return
	}
	op := q.ops[0]
	q.running = true
	op.began = q.k.Now()
	op.start(&op.done)
	op.done.Then(q.k, func() {
		q.running = false
		q.ops = q.ops[1:]
		q.base++
		q.next()
	})
}
