package packet

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/simnet/simnet/sim"
)

// event is a pending occurrence in 16 bytes: one comparison orders two of a
// bucket. The key holds, from the top, the time within the bucket, the tie key,
// the order of scheduling (modulo 2^36, which is far more than are ever pending)
// and the kind.
type event struct {
	key         uint64
	target, arg int32
}

const (
	kindBits = 4
	seqBits  = 36
	tieBits  = 12
	offBits  = 12
	tieShift = kindBits + seqBits
	offShift = tieShift + tieBits
)

func (ev *event) kind() uint8 { return uint8(ev.key & (1<<kindBits - 1)) }

// wheel is a timing wheel like sim.Wheel, made for this package: smaller items,
// and buckets that lie in one array, so that a push touches one line of it. Its
// order is the same: time, tie key, order of scheduling.
type wheel struct {
	shift  uint
	mask   int64
	cur    int64 // number of the bucket being drained
	base   sim.Time
	run    []event // that bucket, in order
	pos    int
	stop   int // <= len(run): where whoever handles the run wants to pause
	n      int
	inside int // items in slots
	slots  []slot
	full   []uint64 // one bit a slot
	chunks [][chunkLen]event
	next   []int32 // chunk before this one in its slot, or next free one
	free   int32
	far    []farEvent
	swap   []event
	last   sim.Time
	coming [ahead]int64 // the next buckets that hold events, as far as known; see look
	known  int
}

// farEvent is an event beyond the wheel.
type farEvent struct {
	at sim.Time
	event
}

// slot is a bucket: a chain of chunks, the last one first.
type slot struct {
	chunk int32
	n     int32
}

// chunkLen events are four cache lines: the chain from chunk to chunk is followed
// by one miss after another. Chunks that become free are the next to be used,
// while the cache still holds them.
const chunkLen = 16

// lineLen events are a cache line.
const lineLen = 4

// newWheel returns a wheel of 2^lg buckets of 2^shift ps, shift <= 12, lg >= 6.
func newWheel(shift, lg uint) *wheel {
	n := 1 << lg
	return &wheel{shift: shift, mask: int64(n - 1), slots: make([]slot, n), full: make([]uint64, n/64), free: -1}
}

// push adds an event; key has no time yet. It panics if at has passed.
func (w *wheel) push(at sim.Time, key uint64, target, arg int32) {
	b := int64(at) >> w.shift
	d := b - w.cur
	if uint64(d-1) < uint64(w.mask) { // 1 <= d <= mask
		key |= uint64(at) << offShift & w.offMask()
		i := b & w.mask
		sl := &w.slots[i]
		c := sl.n & (chunkLen - 1)
		if c == 0 {
			w.grow(sl)
		}
		w.chunks[sl.chunk][c] = event{key, target, arg}
		sl.n++
		w.full[i>>6] |= 1 << uint(i&63)
		w.inside++
		w.n++
		return
	}
	w.pushEdge(at, d, event{key, target, arg})
}

// grow adds a chunk to a slot whose last one is full.
func (w *wheel) grow(sl *slot) {
	c := w.free
	if c >= 0 {
		w.free = w.next[c]
	} else {
		c = int32(len(w.chunks))
		w.chunks = append(w.chunks, [chunkLen]event{})
		w.next = append(w.next, 0)
	}
	w.next[c] = sl.chunk
	sl.chunk = c
}

// offMask selects the time within a bucket once it is in its place in the key.
func (w *wheel) offMask() uint64 { return (1<<w.shift - 1) << offShift }

// pushEdge adds an event to the bucket being drained or beyond the wheel.
func (w *wheel) pushEdge(at sim.Time, d int64, ev event) {
	if at < w.last {
		panic(fmt.Sprintf("packet: event at %d ps pushed when the clock is at %d ps", at, w.last))
	}
	w.n++
	if d > 0 {
		w.pushFar(farEvent{at, ev})
		return
	}
	if d < 0 { // an empty wheel had moved on to a later bucket
		w.rewind(at)
	}
	ev.key |= uint64(at) << offShift & w.offMask()
	i, _ := slices.BinarySearchFunc(w.run[w.pos:], ev, func(a, b event) int { return cmp.Compare(a.key, b.key) })
	w.run = slices.Insert(w.run, w.pos+i, ev)
}

// rewind moves back to the bucket of at, which lies before the one that peek
// has moved to: what was taken out of there goes back, and what is now beyond
// the wheel leaves its slots.
func (w *wheel) rewind(at sim.Time) {
	rest := slices.Clone(w.run[w.pos:])
	from, base, n := w.cur, w.base, w.n
	w.cur = int64(at) >> w.shift
	w.base = sim.Time(w.cur << w.shift)
	for b := max(w.cur+w.mask, from) + 1; b <= from+w.mask; b++ {
		i := b & w.mask
		if w.slots[i].n == 0 {
			continue
		}
		w.run = w.run[:0]
		w.inside -= int(w.slots[i].n)
		w.take(&w.slots[i])
		w.full[i>>6] &^= 1 << uint(i&63)
		for _, ev := range w.run {
			t := sim.Time(b<<w.shift) + sim.Time(ev.key>>offShift)
			ev.key &= 1<<offShift - 1
			w.pushFar(farEvent{t, ev})
		}
	}
	w.run, w.pos, w.stop = w.run[:0], 0, 0
	for _, ev := range rest {
		w.push(base+sim.Time(ev.key>>offShift), ev.key&(1<<offShift-1), ev.target, ev.arg)
	}
	w.n = n
}

// peek returns the time of the earliest event, Never if there is none.
func (w *wheel) peek() sim.Time {
	for w.pos >= len(w.run) {
		if w.n == 0 {
			return sim.Never
		}
		w.advance()
	}
	return w.base + sim.Time(w.run[w.pos].key>>offShift)
}

// advance moves to the next bucket that holds anything.
func (w *wheel) advance() {
	next := int64(-1)
	if w.inside > 0 {
		next = w.cur + 1 + w.scan((w.cur+1)&w.mask)
	}
	if len(w.far) > 0 {
		if b := int64(w.far[0].at) >> w.shift; next < 0 || b < next {
			next = b
		}
	}
	w.cur = next
	w.base = sim.Time(next << w.shift)
	w.run, w.pos, w.stop = w.run[:0], 0, 0
	for len(w.far) > 0 && int64(w.far[0].at)>>w.shift-w.cur <= w.mask {
		f := w.popFar()
		if int64(f.at)>>w.shift == w.cur {
			f.key |= uint64(f.at) << offShift & w.offMask()
			w.run = append(w.run, f.event)
			continue
		}
		w.n--
		w.push(f.at, f.key, f.target, f.arg)
	}
	i := next & w.mask
	if sl := &w.slots[i]; sl.n > 0 {
		w.inside -= int(sl.n)
		w.take(sl)
		w.full[i>>6] &^= 1 << uint(i&63)
	}
	w.order()
}

// take appends the events of a slot to the run, in the order in which they
// were pushed, and frees its chunks.
func (w *wheel) take(sl *slot) {
	start, n := len(w.run), int(sl.n)
	w.run = slices.Grow(w.run, n)[:start+n]
	for c := (n-1)&(chunkLen-1) + 1; n > 0; c = chunkLen {
		n -= c
		k := sl.chunk
		copy(w.run[start+n:], w.chunks[k][:c])
		sl.chunk = w.next[k]
		w.next[k] = w.free
		w.free = k
	}
	sl.n = 0
}

// scan returns the distance from slot i to the first occupied slot.
func (w *wheel) scan(i int64) int64 {
	k, words := i>>6, int64(len(w.full))
	if m := w.full[k] >> uint(i&63); m != 0 {
		return int64(bits.TrailingZeros64(m))
	}
	d := 64 - i&63
	for j := int64(1); ; j++ {
		if m := w.full[(k+j)&(words-1)]; m != 0 {
			return d + (j-1)*64 + int64(bits.TrailingZeros64(m))
		}
	}
}

func (a *farEvent) before(b *farEvent) bool {
	return a.at < b.at || a.at == b.at && a.key < b.key
}

// pushFar and popFar keep far as a binary heap: few events go there.
func (w *wheel) pushFar(f farEvent) {
	w.far = append(w.far, f)
	i := len(w.far) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !w.far[i].before(&w.far[p]) {
			break
		}
		w.far[i], w.far[p] = w.far[p], w.far[i]
		i = p
	}
}

func (w *wheel) popFar() farEvent {
	top := w.far[0]
	n := len(w.far) - 1
	w.far[0] = w.far[n]
	w.far = w.far[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && w.far[c+1].before(&w.far[c]) {
			c++
		}
		if !w.far[c].before(&w.far[i]) {
			break
		}
		w.far[i], w.far[c] = w.far[c], w.far[i]
		i = c
	}
	return top
}
