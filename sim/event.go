package sim

// Event is a one-shot condition, such as "these flows have arrived". It fires
// when Arrive has been called as often as NewEvent was told to expect.
type Event struct {
	need    int32
	fired   bool
	at      Time
	waiters []uint32
	then    []func()
}

// NewEvent returns an event that fires at the n-th arrival. With n = 0 it has
// fired already. It panics if n < 0.
func NewEvent(n int) *Event {
	if n < 0 {
		panic("sim: event with a negative number of arrivals")
	}
	return &Event{need: int32(n), fired: n == 0}
}

// Fired reports whether e has fired.
func (e *Event) Fired() bool { return e.fired }

// At returns when e fired; meaningless before.
func (e *Event) At() Time { return e.at }

// Expect raises the number of arrivals that e waits for. It panics once e has
// fired.
func (e *Event) Expect(n int) {
	if e.fired {
		panic("sim: more arrivals expected of an event that has fired")
	}
	e.need += int32(n)
}

// Arrive counts one arrival. At the last one, the processes that wait are
// woken in the order in which they came, then the functions of Then are called
// in order; all at the current time. Arrivals after that panic.
func (e *Event) Arrive(k *Kernel) {
	if e.fired {
		panic("sim: arrival at an event that has fired")
	}
	if e.need--; e.need > 0 {
		return
	}
	e.fired, e.at = true, k.now
	for _, id := range e.waiters {
		k.push(0, kindWake, id)
	}
	for _, fn := range e.then {
		k.After(0, fn)
	}
	e.waiters, e.then = nil, nil
}

// Then calls fn at the instant at which e fires, or now if it has fired.
func (e *Event) Then(k *Kernel, fn func()) {
	if e.fired {
		k.After(0, fn)
		return
	}
	e.then = append(e.then, fn)
}
