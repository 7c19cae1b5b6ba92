package sim

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// ticker is an engine with a fixed list of event times; each arrives at an
// Event if it has one.
type ticker struct {
	k    *Kernel
	name string
	at   []Time
	fire map[int]*Event
	i    int
	log  *[]string
}

func (e *ticker) Next() Time {
	if e.i < len(e.at) {
		return e.at[e.i]
	}
	return Never
}

func (e *ticker) Advance(limit Time) {
	for e.i < len(e.at) && e.at[e.i] <= limit {
		i := e.i
		e.i++
		*e.log = append(*e.log, fmt.Sprint(e.name, "@", int64(e.at[i])))
		if ev := e.fire[i]; ev != nil {
			e.k.AdvanceTo(e.at[i])
			ev.Arrive(e.k)
			return
		}
	}
}

func TestKernelInterleavesEngines(t *testing.T) {
	k := NewKernel()
	var log []string
	ev := NewEvent(2)
	k.Attach(&ticker{k: k, name: "a", at: []Time{10, 20, 30}, fire: map[int]*Event{1: ev}, log: &log})
	k.Attach(&ticker{k: k, name: "b", at: []Time{10, 15, 25}, fire: map[int]*Event{2: ev}, log: &log})
	k.Go("p", func(p *Proc) {
		p.Sleep(10)
		log = append(log, fmt.Sprint("p@", int64(p.Now())))
		p.Wait(ev)
		log = append(log, fmt.Sprint("p@", int64(p.Now())))
	})
	ev.Then(k, func() { log = append(log, fmt.Sprint("then@", int64(k.Now()))) })
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	want := "p@10 a@10 b@10 b@15 a@20 b@25 p@25 then@25 a@30"
	if got := strings.Join(log, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if n := k.Waiting(); len(n) != 0 {
		t.Errorf("still waiting: %v", n)
	}
}

// Processes at one instant run in the order in which they were scheduled, at
// any GOMAXPROCS and any collector setting.
func TestKernelIsDeterministic(t *testing.T) {
	run := func() uint64 {
		k := NewKernel()
		defer k.Close()
		h := uint64(1)
		done := NewEvent(64)
		for r := range 64 {
			rng := Stream(7, fmt.Sprint("rank", r))
			k.Go(fmt.Sprint("rank", r), func(p *Proc) {
				for range 50 {
					p.Sleep(Time(rng.IntN(3)) * 100 * Nanosecond) // many exact ties
					h = Mix(h ^ uint64(r)<<40 ^ uint64(p.Now()))
				}
				done.Arrive(k)
			})
		}
		k.Go("end", func(p *Proc) { p.Wait(done); h = Mix(h + 1) })
		if err := k.Run(); err != nil {
			t.Fatal(err)
		}
		return h
	}
	want := run()
	for _, procs := range []int{1, 2, 8} {
		for _, gc := range []int{5, -1} {
			oldGC, oldP := debug.SetGCPercent(gc), runtime.GOMAXPROCS(procs)
			got := run()
			debug.SetGCPercent(oldGC)
			runtime.GOMAXPROCS(oldP)
			if got != want {
				t.Fatalf("GOMAXPROCS=%d GOGC=%d: %x, want %x", procs, gc, got, want)
			}
		}
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	g0 := runtime.NumGoroutine()
	var ended []string
	k := NewKernel()
	for r := range 100 {
		k.Go(fmt.Sprint(r), func(p *Proc) {
			defer func() { ended = append(ended, p.Name()) }()
			p.Wait(NewEvent(1))
			t.Error("woke")
		})
	}
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		runtime.GC() // would abort the waits if simgo's finalizers were left on
	}
	if len(ended) != 0 {
		t.Fatal("the collector ended a process")
	}
	if w := k.Waiting(); len(w) != 100 || w[7] != "7" {
		t.Fatalf("Waiting: %v", w)
	}
	k.Close()
	for i := range ended {
		if ended[i] != fmt.Sprint(i) {
			t.Fatalf("ended out of order: %v", ended)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= g0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if g := runtime.NumGoroutine(); g > g0 || len(ended) != 100 {
		t.Fatalf("%d goroutines left, %d ended", g-g0, len(ended))
	}
}

func TestPanicInAProcessIsAnError(t *testing.T) {
	k := NewKernel()
	defer k.Close()
	k.Go("bad", func(p *Proc) {
		p.Sleep(5 * Nanosecond)
		panic("boom")
	})
	k.Go("other", func(p *Proc) { p.Sleep(Second) })
	err := k.Run()
	if err == nil || !strings.Contains(err.Error(), "process bad at 5ns: panic: boom") {
		t.Fatalf("got %v", err)
	}
}

func TestStopAndRunUntil(t *testing.T) {
	k := NewKernel()
	defer k.Close()
	n := 0
	k.Go("loop", func(p *Proc) {
		for range 10 {
			p.Sleep(Microsecond)
			n++
			if n == 5 {
				k.Stop()
			}
		}
	})
	if err := k.RunUntil(3 * Microsecond); err != nil || n != 3 || k.Now() != 3*Microsecond {
		t.Fatalf("RunUntil: %v, n=%d, now %v", err, n, k.Now())
	}
	if err := k.Run(); !errors.Is(err, ErrStopped) || n != 5 {
		t.Fatalf("Stop: %v, n=%d", err, n)
	}
}

func TestEventMisuse(t *testing.T) {
	k := NewKernel()
	e := NewEvent(1)
	e.Arrive(k)
	for name, f := range map[string]func(){
		"arrive twice": func() { e.Arrive(k) },
		"expect late":  func() { e.Expect(1) },
		"past":         func() { k.After(-1, func() {}) },
		"clock back":   func() { k.now = 5; k.AdvanceTo(4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkProcWake(b *testing.B) {
	k := NewKernel()
	for range 64 {
		k.Go("p", func(p *Proc) {
			for range b.N / 64 {
				p.Sleep(Microsecond)
			}
		})
	}
	b.ResetTimer()
	if err := k.Run(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkTimer(b *testing.B) {
	k := NewKernel()
	n := 0
	var fn func()
	fn = func() {
		if n++; n < b.N {
			k.After(Microsecond, fn)
		}
	}
	b.ReportAllocs()
	k.After(0, fn)
	if err := k.Run(); err != nil {
		b.Fatal(err)
	}
}
