package packet

import (
	"cmp"
	"slices"
)

// radixMin is the length of a bucket from which three radix passes beat
// insertion.
const radixMin = 48

// order sorts the run. Its items mostly came in the order of their scheduling,
// so a stable sort by time and tie key is enough; should that not do, it
// compares.
func (w *wheel) order() {
	r := w.run
	if len(r) < radixMin {
		for i := 1; i < len(r); i++ {
			ev := r[i]
			j := i
			for j > 0 && ev.key < r[j-1].key {
				r[j] = r[j-1]
				j--
			}
			r[j] = ev
		}
		return
	}
	if cap(w.swap) < len(r) {
		w.swap = make([]event, len(r)*3/2)
	}
	t := w.swap[:len(r)]
	radix(t, r, tieShift)
	radix(r, t, tieShift+8)
	radix(t, r, tieShift+16)
	w.run, w.swap = t, r
	for i := 1; i < len(t); i++ {
		if t[i].key < t[i-1].key {
			slices.SortFunc(t, func(a, b event) int { return cmp.Compare(a.key, b.key) })
			return
		}
	}
}

// radix sorts src into dst by eight bits of the key, stably.
func radix(dst, src []event, shift uint) {
	var c [256]uint32
	for i := range src {
		c[uint8(src[i].key>>shift)]++
	}
	sum := uint32(0)
	for i, n := range c {
		c[i] = sum
		sum += n
	}
	for i := range src {
		k := uint8(src[i].key >> shift)
		dst[c[k]] = src[i]
		c[k]++
	}
}
