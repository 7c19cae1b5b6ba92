package packet

import (
	"strings"

	"github.com/simnet/simnet/fabric"
)

// findCycle looks for a cyclic wait: ports that are paused by a switch whose
// packets of that ingress wait for a paused port, and so on around. It returns
// the (port, class) indices of one cycle, nil if there is none.
func (e *Engine) findCycle(s *shard) []int32 {
	n := len(e.ports) * int(e.nc)
	const unseen, onStack, done = 0, 1, 2
	state := make([]uint8, n)
	var path []int32
	var visit func(pc int32) []int32
	visit = func(pc int32) []int32 {
		state[pc] = onStack
		path = append(path, pc)
		for _, next := range e.waitsFor(s, pc) {
			switch state[next] {
			case onStack:
				for i, x := range path {
					if x == next {
						return append([]int32(nil), path[i:]...)
					}
				}
			case unseen:
				if c := visit(next); c != nil {
					return c
				}
			}
		}
		path = path[:len(path)-1]
		state[pc] = done
		return nil
	}
	for pc := range int32(n) {
		if s.owns(pc/e.nc) && state[pc] == unseen && e.isPaused(pc) {
			if c := visit(pc); c != nil {
				return c
			}
		}
	}
	return nil
}

func (e *Engine) isPaused(pc int32) bool {
	return e.ports[pc/e.nc].paused>>(queueData+uint8(pc%e.nc))&1 != 0
}

// waitsFor returns the paused (port, class) pairs whose queues hold packets
// that came in through pc's link and keep pc paused.
func (e *Engine) waitsFor(s *shard, pc int32) []int32 {
	var out []int32
	peer := e.ports[pc/e.nc].peer
	if e.swOf[peer] < 0 || !e.xoff[pc] {
		return nil
	}
	class := pc % e.nc
	for _, p := range e.g.PortsOf(fabric.NodeID(peer)) {
		next := int32(p)*e.nc + class
		if !s.owns(int32(p)) || !e.isPaused(next) {
			continue
		}
		u := e.queue(int32(p), queueData+uint8(class))
		for i := u.head; i >= 0; i = s.pkts[i].next {
			if s.pkts[i].in == pc/e.nc {
				out = append(out, next)
				break
			}
		}
	}
	return out
}

// deadlocked looks for a cyclic wait when a pause lasts; once one is found,
// nothing refreshes pauses any more and the run can end.
func (e *Engine) deadlocked(s *shard, _ int32) bool {
	if s.stuck {
		return true
	}
	cycle := e.findCycle(s)
	if cycle == nil {
		return false
	}
	e.nameDeadlock(s, cycle)
	return s.stuck
}

// nameDeadlock notes a cycle by its ports.
func (e *Engine) nameDeadlock(s *shard, cycle []int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	least := 0
	for i := range cycle {
		if cycle[i] < cycle[least] {
			least = i
		}
	}
	for i := range cycle {
		pc := cycle[(least+i)%len(cycle)]
		b.WriteString(e.g.PortName(fabric.PortID(pc / e.nc)))
		b.WriteString(" -> ")
	}
	b.WriteString(e.g.PortName(fabric.PortID(cycle[least] / e.nc)))
	if m := b.String(); !e.noted[m] {
		e.noted[m] = true
		e.deadlocks++
		e.cycles = append(e.cycles, m)
	}
	s.stuck = !e.cfg.PFC.WatchdogDrop
}

// Deadlocks returns the cyclic waits found so far, each as the names of its
// ports.
func (e *Engine) Deadlocks() []string { return e.cycles }
