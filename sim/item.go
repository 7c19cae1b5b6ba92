package sim

// Item is one pending occurrence: 24 bytes, no pointers. What Target and Arg
// mean is up to the owner of the Wheel that holds it.
type Item struct {
	At     Time
	Key    uint64 // tie key, sequence number and kind: see MakeKey
	Target uint32
	Arg    uint32
}

// Layout of Item.Key: 16 bits of tie key, 40 of sequence number, 8 of kind.
const (
	kindBits = 8
	seqBits  = 40
	// MaxSeq is the largest sequence number a Key can hold: 1.1e12 events.
	MaxSeq = 1<<seqBits - 1
)

// MakeKey builds the Key of an item. Items of one instant are handled in order
// of tie, then of seq. A tie of zero everywhere is first-scheduled-first; a
// seeded tie makes the order of simultaneous events fair and still repeatable.
func MakeKey(tie uint16, seq uint64, kind uint8) uint64 {
	return uint64(tie)<<(seqBits+kindBits) | seq<<kindBits | uint64(kind)
}

// Kind returns the kind stored in the item's key.
func (it *Item) Kind() uint8 { return uint8(it.Key) }

func (it *Item) before(o *Item) bool {
	return it.At < o.At || it.At == o.At && it.Key < o.Key
}

// heap4 is a 4-ary min-heap of items: the overflow of a Wheel.
type heap4 struct{ a []Item }

func (h *heap4) push(it Item) {
	h.a = append(h.a, it)
	i := len(h.a) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !it.before(&h.a[p]) {
			break
		}
		h.a[i] = h.a[p]
		i = p
	}
	h.a[i] = it
}

func (h *heap4) pop() Item {
	top := h.a[0]
	n := len(h.a) - 1
	it := h.a[n]
	h.a = h.a[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		m := c
		for e := min(c+4, n); c < e; c++ {
			if h.a[c].before(&h.a[m]) {
				m = c
			}
		}
		if !h.a[m].before(&it) {
			break
		}
		h.a[i] = h.a[m]
		i = m
	}
	h.a[i] = it
	return top
}
