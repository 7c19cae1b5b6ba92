package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/fschuetz04/simgo"
)

// Proc is a process: straight-line code that sleeps and waits in simulated
// time. simgo runs it as a coroutine and never keeps time: the kernel's queue
// orders everything, and simgo's own queue drains empty before control returns.
//
// Use a process for control flow (a pipeline stage), never for a packet: a
// wake-up costs about a microsecond.
type Proc struct {
	k    *Kernel
	id   uint32
	name string
	body func(*Proc)
	sg   simgo.Process
	wait *simgo.Event // what it waits on; nil before its start and while it runs
}

// Go starts a process at the current time, after what is already due then.
func (k *Kernel) Go(name string, body func(*Proc)) *Proc {
	p := &Proc{k: k, name: name, body: body}
	if n := len(k.free); n > 0 {
		p.id = k.free[n-1]
		k.free = k.free[:n-1]
		k.procs[p.id] = p
	} else {
		p.id = uint32(len(k.procs))
		k.procs = append(k.procs, p)
	}
	k.push(0, kindWake, p.id)
	return p
}

// wake gives control to p until it waits again or ends.
func (k *Kernel) wake(p *Proc) {
	if p.wait == nil { // not started yet
		p.sg = k.sg.Process(p.main)
	} else {
		ev := p.wait
		p.wait = nil
		ev.Trigger()
	}
	k.sg.Run() // the hand-off; simgo's clock stays at zero
}

func (p *Proc) main(simgo.Process) {
	defer func() {
		if v := recover(); v != nil {
			p.k.Fail(fmt.Errorf("process %s at %v: panic: %v\n%s", p.name, p.k.now, v, debug.Stack()))
		}
		p.k.procs[p.id] = nil
		if !p.k.closing {
			p.k.free = append(p.k.free, p.id)
		}
	}()
	p.body(p)
}

// park waits until the kernel wakes p. The finalizer that simgo puts on events
// would abort a forgotten one from the collector's goroutine at a moment that
// depends on the collector; ours are never forgotten, so it goes.
func (p *Proc) park() {
	ev := p.k.sg.Event()
	runtime.SetFinalizer(ev, nil)
	p.wait = ev
	p.sg.Wait(ev)
	if p.k.closing {
		runtime.Goexit()
	}
}

// Name returns the name that the process was started with.
func (p *Proc) Name() string { return p.name }

// Kernel returns the kernel that runs p.
func (p *Proc) Kernel() *Kernel { return p.k }

// Now returns the current time.
func (p *Proc) Now() Time { return p.k.now }

// Sleep pauses p for d. It panics if d < 0.
func (p *Proc) Sleep(d Time) {
	p.k.push(d, kindWake, p.id)
	p.park()
}

// Wait pauses p until e has fired; it returns at once if it has.
func (p *Proc) Wait(e *Event) {
	if e.fired {
		return
	}
	e.waiters = append(e.waiters, p.id)
	p.park()
}

// Waiting returns the names of the processes that have not ended, in the order
// of their start. After Run has returned nil a name here means a deadlock.
func (k *Kernel) Waiting() []string {
	var names []string
	for _, p := range k.procs {
		if p != nil {
			names = append(names, p.name)
		}
	}
	return names
}

// Close ends every process that is still waiting and leaves no goroutine
// behind. It must not be called from a process.
func (k *Kernel) Close() {
	k.closing = true
	for _, p := range k.procs {
		if p != nil && p.wait != nil {
			k.wake(p)
		}
	}
}
