package sim

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fschuetz04/simgo"
)

// Engine is a model with pending events of its own: a network engine.
type Engine interface {
	// Next returns the time of the engine's earliest event, Never if none.
	Next() Time
	// Advance handles the engine's events in order, none later than limit. It
	// must return as soon as it has scheduled anything on the kernel (an Event
	// that arrived, a timer), having called Kernel.AdvanceTo first, and it may
	// return early at any point, which gives the kernel the chance to report
	// progress or to stop.
	Advance(limit Time)
}

// Kernel runs one simulation: it owns the time, its own pending events
// (process wake-ups and timers) and the engines. It is not safe for concurrent
// use; processes take turns with it, never run beside it.
type Kernel struct {
	now     Time
	seq     uint64
	q       *Wheel
	engines []Engine
	procs   []*Proc
	free    []uint32
	calls   []func()
	freeFn  []uint32
	sg      *simgo.Simulation
	closing bool
	err     error
	stop    atomic.Bool

	// Handled counts the kernel's own events so far; engines count theirs.
	Handled uint64
	// OnProgress, if set, is called between events now and then (after at
	// most progressEvery kernel events or one return of an engine).
	OnProgress func(now Time)
}

// ErrStopped is what Run returns after Stop.
var ErrStopped = errors.New("sim: stopped before the end")

// progressEvery keeps the cost of progress calls below the noise: a kernel
// event costs about a microsecond.
const progressEvery = 4096

const (
	kindWake uint8 = iota
	kindCall
)

// NewKernel returns a kernel at time zero. Its wheel has buckets of about a
// microsecond: control events are sparse.
func NewKernel() *Kernel {
	return &Kernel{q: NewWheel(20, 10), sg: simgo.NewSimulation()}
}

// Now returns the current time.
func (k *Kernel) Now() Time { return k.now }

// Attach adds an engine. Engines attached earlier go first at one instant.
func (k *Kernel) Attach(e Engine) { k.engines = append(k.engines, e) }

// AdvanceTo moves the clock to t. Only an engine inside Advance calls it, right
// before it touches the kernel. It panics if t lies in the past or beyond an
// event of the kernel.
func (k *Kernel) AdvanceTo(t Time) {
	if t < k.now || t > k.q.Peek() {
		panic(fmt.Sprintf("sim: clock moved from %v to %v with an event at %v", k.now, t, k.q.Peek()))
	}
	k.now = t
}

func (k *Kernel) push(d Time, kind uint8, target uint32) {
	if d < 0 {
		panic(fmt.Sprintf("sim: event scheduled %d ps in the past", -d))
	}
	k.seq++
	k.q.Push(Item{At: k.now + d, Key: MakeKey(0, k.seq, kind), Target: target})
}

// After calls fn once, d from now. It panics if d < 0.
func (k *Kernel) After(d Time, fn func()) {
	var id uint32
	if n := len(k.freeFn); n > 0 {
		id = k.freeFn[n-1]
		k.freeFn = k.freeFn[:n-1]
		k.calls[id] = fn
	} else {
		id = uint32(len(k.calls))
		k.calls = append(k.calls, fn)
	}
	k.push(d, kindCall, id)
}

// Stop makes Run return ErrStopped at the next opportunity. It is the one
// method that another goroutine may call.
func (k *Kernel) Stop() { k.stop.Store(true) }

// Fail makes Run return err. The first error wins.
func (k *Kernel) Fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

// Run handles events until none is left, a process fails, or Stop is called.
// Waiting processes at the end are not an error here: Waiting names them.
func (k *Kernel) Run() error { return k.RunUntil(Never) }

// RunUntil is Run, but leaves events later than limit pending.
func (k *Kernel) RunUntil(limit Time) error {
	for n := uint64(0); k.err == nil; {
		if k.stop.Load() {
			return ErrStopped
		}
		tk := k.q.Peek()
		te, who, bound := Never, -1, min(tk, limit)
		for i, e := range k.engines {
			t := e.Next()
			if t < te {
				if te != Never {
					bound = min(bound, te)
				}
				te, who = t, i
			} else {
				bound = min(bound, t)
			}
		}
		if tk <= te {
			if tk == Never || tk > limit {
				break
			}
			k.handle()
			if n++; n%progressEvery != 0 {
				continue
			}
		} else {
			if te > limit {
				break
			}
			k.engines[who].Advance(bound)
		}
		if k.OnProgress != nil {
			k.OnProgress(k.now)
		}
	}
	if k.err == nil && limit != Never && k.now < limit {
		k.now = limit
	}
	return k.err
}

func (k *Kernel) handle() {
	it, _ := k.q.Pop()
	k.now = it.At
	k.Handled++
	if it.Kind() == kindWake {
		k.wake(k.procs[it.Target])
		return
	}
	fn := k.calls[it.Target]
	k.calls[it.Target] = nil
	k.freeFn = append(k.freeFn, it.Target)
	fn()
}
