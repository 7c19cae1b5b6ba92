package sim

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Wheel is a pending-event set: a timing wheel of one level whose buckets are
// put in order only when the clock reaches them, with heaps for what falls in
// the bucket being drained and for what lies beyond the wheel. Items come out
// ordered by time, then by Key. Pushing and popping cost O(1) at any number of
// pending items as long as buckets hold a few items each.
//
// A Wheel is not safe for concurrent use.
type Wheel struct {
	shift   uint
	mask    int64
	cur     int64  // number of the bucket being drained
	run     []Item // that bucket, in order from pos on
	pos     int
	near    heap4 // pushed into the bucket being drained
	far     heap4 // beyond the wheel
	slots   [][]Item
	full    []uint64 // one bit a slot
	pool    [][]Item
	scratch []Item
	n       int
	inSlots int
	last    Time
}

// NewWheel returns a wheel of 2^lg buckets of 2^shift picoseconds each, lg >= 6.
// Buckets should hold a few items: 2^10 ps x 2^12 suits packets at 100 to 400
// Gbps, 2^20 ps suits flows.
func NewWheel(shift, lg uint) *Wheel {
	n := 1 << lg
	return &Wheel{shift: shift, mask: int64(n - 1), slots: make([][]Item, n), full: make([]uint64, n/64)}
}

// Len returns the number of pending items.
func (w *Wheel) Len() int { return w.n }

// Push adds an item. It panics if it lies before the last item popped.
func (w *Wheel) Push(it Item) {
	if it.At < w.last {
		panic(fmt.Sprintf("sim: item at %d ps pushed when the clock is at %d ps", it.At, w.last))
	}
	w.n++
	b := int64(it.At) >> w.shift
	switch d := b - w.cur; {
	case d <= 0:
		w.near.push(it)
	case d <= w.mask:
		w.put(b, it)
	default:
		w.far.push(it)
	}
}

func (w *Wheel) put(b int64, it Item) {
	i := b & w.mask
	s := w.slots[i]
	if s == nil {
		if k := len(w.pool); k > 0 {
			s = w.pool[k-1]
			w.pool = w.pool[:k-1]
		}
		w.full[i>>6] |= 1 << uint(i&63)
	}
	w.slots[i] = append(s, it)
	w.inSlots++
}

// Peek returns the time of the earliest item, or Never.
func (w *Wheel) Peek() Time {
	for {
		t := Never
		if w.pos < len(w.run) {
			t = w.run[w.pos].At
		}
		if len(w.near.a) > 0 {
			t = min(t, w.near.a[0].At)
		}
		if t != Never || w.n == 0 {
			return t
		}
		w.advance()
	}
}

// Pop removes and returns the earliest item; false when none is left.
func (w *Wheel) Pop() (Item, bool) {
	return w.PopBefore(Never)
}

// PopBefore removes and returns the earliest item if it lies at or before
// limit.
func (w *Wheel) PopBefore(limit Time) (Item, bool) {
	for {
		if w.pos < len(w.run) {
			it := &w.run[w.pos]
			if len(w.near.a) > 0 && w.near.a[0].before(it) {
				return w.popNear(limit)
			}
			if it.At > limit {
				return Item{}, false
			}
			w.pos++
			w.n--
			w.last = it.At
			return *it, true
		}
		if len(w.near.a) > 0 {
			return w.popNear(limit)
		}
		if w.n == 0 {
			return Item{}, false
		}
		w.advance()
	}
}

func (w *Wheel) popNear(limit Time) (Item, bool) {
	if w.near.a[0].At > limit {
		return Item{}, false
	}
	w.n--
	it := w.near.pop()
	w.last = it.At
	return it, true
}

// advance moves to the next bucket that holds anything. An item pushed later
// but before that bucket lands in near, which keeps the order.
func (w *Wheel) advance() {
	if w.run != nil {
		w.pool = append(w.pool, w.run[:0])
		w.run = nil
	}
	w.pos = 0
	next := int64(-1)
	if w.inSlots > 0 {
		next = w.cur + 1 + w.scan((w.cur+1)&w.mask)
	}
	if len(w.far.a) > 0 {
		if b := int64(w.far.a[0].At) >> w.shift; next < 0 || b < next {
			next = b
		}
	}
	w.cur = next
	for len(w.far.a) > 0 && int64(w.far.a[0].At)>>w.shift-w.cur <= w.mask {
		it := w.far.pop()
		w.put(int64(it.At)>>w.shift, it)
	}
	i := next & w.mask
	w.run = w.slots[i]
	w.slots[i] = nil
	w.full[i>>6] &^= 1 << uint(i&63)
	w.inSlots -= len(w.run)
	w.order()
}

// scan returns the distance from slot i to the first occupied slot.
func (w *Wheel) scan(i int64) int64 {
	k, words := i>>6, int64(len(w.full))
	if m := w.full[k] >> uint(i&63); m != 0 {
		return int64(bits.TrailingZeros64(m))
	}
	d := 64 - i&63
	for j := int64(1); ; j++ {
		if m := w.full[(k+j)%words]; m != 0 {
			return d + (j-1)*64 + int64(bits.TrailingZeros64(m))
		}
	}
}

// A bucket longer than radixMin is sorted by radix passes over the time within
// the bucket before insertion; measured break-even is near 24.
const radixMin = 24

// order sorts the run by (At, Key): insertion when it is short; else a stable
// radix sort of the time within the bucket, then of each instant by Key.
func (w *Wheel) order() {
	if len(w.run) <= radixMin {
		insertion(w.run)
		return
	}
	if w.shift <= 15 {
		for s := uint(0); s < w.shift; s += 5 {
			w.pass(s)
		}
	} else {
		slices.SortFunc(w.run, func(a, b Item) int {
			if a.before(&b) {
				return -1
			}
			return 1
		})
		return
	}
	r := w.run
	for i := 0; i < len(r); {
		j := i + 1
		sorted := true
		for j < len(r) && r[j].At == r[i].At {
			sorted = sorted && r[j].Key > r[j-1].Key
			j++
		}
		if !sorted {
			w.orderInstant(r[i:j])
		}
		i = j
	}
}

// orderInstant sorts items of one time by Key. They mostly came in order of
// their sequence number, so a stable radix sort by tie key is enough; what is
// still out of order afterwards is sorted by comparison.
func (w *Wheel) orderInstant(r []Item) {
	if len(r) <= radixMin {
		insertion(r)
		return
	}
	if len(r) >= tieMin {
		if cap(w.scratch) < len(r) {
			w.scratch = make([]Item, len(r)+len(r)/2)
		}
		t := w.scratch[:len(r)]
		byTie(t, r, 48)
		byTie(r, t, 56)
	}
	for i := 1; i < len(r); i++ {
		if r[i].Key < r[i-1].Key {
			slices.SortFunc(r, func(a, b Item) int { return cmp.Compare(a.Key, b.Key) })
			return
		}
	}
}

// tieMin is where two passes over 256 counters pay.
const tieMin = 96

// byTie sorts src into dst by eight bits of the key, keeping the order of equals.
func byTie(dst, src []Item, shift uint) {
	var c [256]uint32
	for i := range src {
		c[uint8(src[i].Key>>shift)]++
	}
	sum := uint32(0)
	for i, n := range c {
		c[i] = sum
		sum += n
	}
	for i := range src {
		k := uint8(src[i].Key >> shift)
		dst[c[k]] = src[i]
		c[k]++
	}
}

func insertion(r []Item) {
	for i := 1; i < len(r); i++ {
		if !r[i].before(&r[i-1]) {
			continue
		}
		it := r[i]
		j := i
		for j > 0 && it.before(&r[j-1]) {
			r[j] = r[j-1]
			j--
		}
		r[j] = it
	}
}

func (w *Wheel) pass(s uint) {
	r := w.run
	var c [33]uint32
	low := min(w.shift-s, 5)
	m := Time(1)<<low - 1
	for i := range r {
		c[r[i].At>>s&m+1]++
	}
	for i := 1; i < 32; i++ {
		c[i] += c[i-1]
	}
	if cap(w.scratch) < len(r) {
		w.scratch = make([]Item, len(r)+len(r)/2)
	}
	t := w.scratch[:len(r)]
	for i := range r {
		k := r[i].At >> s & m
		t[c[k&31]] = r[i]
		c[k&31]++
	}
	w.run, w.scratch = t, r[:0]
}
