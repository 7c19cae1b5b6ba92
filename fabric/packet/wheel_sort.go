package packet

import (
	"cmp"
	"slices"
)

// insertMax is the length of a bucket up to which insertion alone is quickest.
const insertMax = 16

// order sorts the run. Events of a bucket mostly have different times, or came
// in the order of their scheduling: after one pass by time little is left to
// insertion. Where many have the same time, two passes by time and the top of
// the tie key come first.
func (w *wheel) order() {
	r := w.run
	if len(r) <= insertMax {
		insertion(r, len(r))
		return
	}
	if cap(w.swap) < len(r) {
		w.swap = make([]event, len(r)*3/2)
	}
	t := w.swap[:len(r)]
	if spread(t, r, offShift+max(w.shift, timeBits)-timeBits) {
		w.run, w.swap = t, r
		if insertion(t, insertMax) {
			return
		}
		r, t = t, r
	}
	const low = offShift - tieTop
	width := (w.shift + tieTop + 1) / 2
	radix(t, r, low, width)
	radix(r, t, low+width, width)
	w.run, w.swap = r, t
	if !insertion(r, 4*insertMax) {
		slices.SortFunc(r, func(a, b event) int { return cmp.Compare(a.key, b.key) })
	}
}

// insertion sorts r, or gives up after moving items by more than most places on
// average.
func insertion(r []event, most int) bool {
	left := most * len(r)
	for i := 1; i < len(r); i++ {
		ev := r[i]
		j := i
		for j > 0 && ev.key < r[j-1].key {
			r[j] = r[j-1]
			j--
		}
		r[j] = ev
		if left -= i - j; left < 0 {
			return false
		}
	}
	return true
}

// timeBits of the time, from the top, are what spread looks at; tieTop bits of
// the tie key, from the top, are in the passes of radix.
const (
	timeBits = 6
	tieTop   = 6
)

// spread sorts src into dst by timeBits bits of the key, stably, unless so many
// share them that it would leave too much to insertion: among n events in no
// order an event moves n/4 places on average.
func spread(dst, src []event, shift uint) bool {
	var c [1 << timeBits]uint32
	for i := range src {
		c[src[i].key>>shift&(1<<timeBits-1)]++
	}
	sum, pairs := uint32(0), 0
	for i, n := range c {
		c[i] = sum
		sum += n
		pairs += int(n) * int(n)
	}
	if pairs > 4*insertMax*len(src) {
		return false
	}
	for i := range src {
		k := src[i].key >> shift & (1<<timeBits - 1)
		dst[c[k]] = src[i]
		c[k]++
	}
	return true
}

// radix sorts src into dst by width <= 9 bits of the key, stably.
func radix(dst, src []event, shift, width uint) {
	var c [1 << 9]uint32
	mask := uint64(1)<<width - 1
	for i := range src {
		c[src[i].key>>shift&mask&511]++
	}
	sum := uint32(0)
	for i := range c[:mask+1] {
		n := c[i]
		c[i] = sum
		sum += n
	}
	for i := range src {
		k := src[i].key >> shift & mask & 511
		dst[c[k]] = src[i]
		c[k]++
	}
}
