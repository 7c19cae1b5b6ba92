package workload

import "github.com/simnet/simnet/sim"

// ActionKind is what a stage does in one slot of its schedule.
type ActionKind uint8

// The kinds of action. Backward includes the weight gradients unless the
// schedule has WeightGrad actions of its own.
const (
	Forward ActionKind = iota
	Backward
	WeightGrad
)

func (k ActionKind) String() string { return [...]string{"F", "B", "W"}[k] }

// Action is one slot: a pass of one micro-batch through one chunk of a stage.
type Action struct {
	Kind  ActionKind
	Chunk int16 // virtual stage within the stage, from 0
	Micro int32
}

// Actions returns the schedule of stage (from 0) of p stages with v chunks
// each, for m micro-batches. The arguments must have passed validation:
// interleaved needs m divisible by p, the others v = 1.
func (s Schedule) Actions(stage, p, m, v int) []Action {
	switch s {
	case GPipe:
		return gpipe(m)
	case Interleaved:
		return interleaved(stage, p, m, v)
	case ZeroBubble:
		return zeroBubble(stage, p, m)
	default:
		return oneFOneB(stage, p, m)
	}
}

func gpipe(m int) []Action {
	a := make([]Action, 0, 2*m)
	for i := range m {
		a = append(a, Action{Kind: Forward, Micro: int32(i)})
	}
	for i := range m {
		a = append(a, Action{Kind: Backward, Micro: int32(i)})
	}
	return a
}

func oneFOneB(stage, p, m int) []Action {
	warm := min(p-1-stage, m)
	a := make([]Action, 0, 2*m)
	for i := range m + warm {
		if i < m {
			a = append(a, Action{Kind: Forward, Micro: int32(i)})
		}
		if i >= warm {
			a = append(a, Action{Kind: Backward, Micro: int32(i - warm)})
		}
	}
	return a
}

// interleaved is Megatron-LM's order: micro-batches go through the chunks in
// groups of p, and a stage warms up with 2(p-stage-1) + (v-1)p passes.
func interleaved(stage, p, m, v int) []Action {
	total := m * v
	warm := min(2*(p-stage-1)+(v-1)*p, total)
	if m == p {
		warm = total // a single group: Megatron-LM runs it as all forward, all backward
	}
	slot := func(k int, kind ActionKind) Action {
		c := k % (p * v) / p
		if kind == Backward {
			c = v - 1 - c
		}
		return Action{Kind: kind, Chunk: int16(c), Micro: int32(k/(p*v)*p + k%p)}
	}
	a := make([]Action, 0, 2*total)
	for k := range total + warm {
		if k < total {
			a = append(a, slot(k, Forward))
		}
		if k >= warm {
			a = append(a, slot(k-warm, Backward))
		}
	}
	return a
}

// zeroBubble is ZB-H1: 1F1B's order and peak memory, with the weight gradients
// put off by as many micro-batches as the stage has spare activations, so that
// they fill the drain of the pipeline. Its bubble is (p-1)(F + B - W).
func zeroBubble(stage, p, m int) []Action {
	warm := min(p-1-stage, m)
	a := make([]Action, 0, 3*m)
	w := 0
	for i := range m + warm {
		if i < m {
			a = append(a, Action{Kind: Forward, Micro: int32(i)})
		}
		if i < warm {
			continue
		}
		b := i - warm
		a = append(a, Action{Kind: Backward, Micro: int32(b)})
		if i >= m || b-w >= stage { // draining, or no activation to spare
			a = append(a, Action{Kind: WeightGrad, Micro: int32(w)})
			w++
		}
	}
	for ; w < m; w++ {
		a = append(a, Action{Kind: WeightGrad, Micro: int32(w)})
	}
	return a
}

// steady returns the first and the last of the actions between a stage's warm-up
// and its drain: from the forward before the first backward to the backward
// after the last forward. If no forward follows a backward there are none, and
// the last lies before the first.
func steady(actions []Action) [2]int {
	backward, forward := len(actions), -1
	for i, a := range actions {
		switch a.Kind {
		case Backward:
			backward = min(backward, i)
		case Forward:
			forward = i
		}
	}
	if forward < backward {
		return [2]int{0, -1}
	}
	return [2]int{backward - 1, forward + 1}
}

// Plan is what a schedule comes to with given durations and no communication.
type Plan struct {
	End  sim.Time   // of the last action of any stage
	Idle []sim.Time // by stage: End minus its work
}

// Evaluate runs schedules (one a stage, v chunks each) against their
// dependencies: a forward needs the chunk before it, a backward its own forward
// and the chunk after it, a weight gradient its backward. It panics if they
// deadlock, which a generated schedule never does.
func Evaluate(stages [][]Action, v int, dur func(stage int, a Action) sim.Time) Plan {
	p := len(stages)
	m := 0
	for _, a := range stages[0] {
		m = max(m, int(a.Micro)+1)
	}
	done := make([]sim.Time, 3*p*v*m) // by kind, virtual stage, micro-batch; 0 = not yet
	at := func(k ActionKind, virtual int, micro int32) *sim.Time {
		return &done[(int(k)*p*v+virtual)*m+int(micro)]
	}
	clock := make([]sim.Time, p)
	work := make([]sim.Time, p)
	next := make([]int, p)
	for moved := true; moved; {
		moved = false
		for s := range p {
			for next[s] < len(stages[s]) {
				a := stages[s][next[s]]
				vs := int(a.Chunk)*p + s
				var need sim.Time // one more than the time, so that 0 means missing
				switch {
				case a.Kind == Forward && vs == 0:
					need = 1
				case a.Kind == Forward:
					need = *at(Forward, vs-1, a.Micro)
				case a.Kind == WeightGrad:
					need = *at(Backward, vs, a.Micro)
				case vs == p*v-1:
					need = *at(Forward, vs, a.Micro)
				default:
					need = *at(Backward, vs+1, a.Micro)
					if *at(Forward, vs, a.Micro) == 0 {
						need = 0
					}
				}
				if need == 0 {
					break
				}
				d := dur(s, a)
				clock[s] = max(clock[s], need-1) + d
				work[s] += d
				*at(a.Kind, vs, a.Micro) = clock[s] + 1
				next[s]++
				moved = true
			}
		}
	}
	plan := Plan{Idle: make([]sim.Time, p)}
	for s := range p {
		if next[s] < len(stages[s]) {
			panic("workload: schedule deadlocks")
		}
		plan.End = max(plan.End, clock[s])
	}
	for s := range p {
		plan.Idle[s] = plan.End - work[s]
	}
	return plan
}
