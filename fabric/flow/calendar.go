package flow

import "github.com/simnet/simnet/sim"

// calendar holds the next occurrence of each flow, by slot. Slots due at one
// instant for the same kind of thing share an entry, so that a thousand flows
// that end together cost one place in the heap. Moving a slot takes it out of
// its entry: nothing stale is left behind, and memory is bounded by the slots.
type calendar struct {
	nodes   []calNode // by slot
	entries []calEntry
	free    []int32
	heap    []calKey
	recent  [512]int32 // entries by a hash of (time, kind); 1-based
	key     uint64     // of the last slot set, before hashing
	hash    uint64     // and after: many are set to one time in a row
}

type calNode struct{ next, prev, entry int32 }

type calEntry struct {
	at         sim.Time
	head, tail int32
	pos        int32 // in the heap
	kind       uint8
}

type calKey struct {
	at sim.Time
	id int32
}

func (k calKey) before(o calKey) bool { return k.at < o.at || k.at == o.at && k.id < o.id }

func (c *calendar) grow(slot int32) {
	for int(slot) >= len(c.nodes) {
		c.nodes = append(c.nodes, calNode{-1, -1, -1})
	}
}

// peek returns the time of the earliest entry, or Never.
func (c *calendar) peek() sim.Time {
	if len(c.heap) == 0 {
		return sim.Never
	}
	return c.heap[0].at
}

// set moves slot to time at.
func (c *calendar) set(slot int32, at sim.Time, kind uint8) {
	n := &c.nodes[slot]
	if n.entry >= 0 {
		if e := &c.entries[n.entry]; e.at == at && e.kind == kind {
			return
		}
		c.clear(slot)
	}
	if key := uint64(at)<<3 | uint64(kind); key != c.key || c.hash == 0 {
		c.key, c.hash = key, sim.Mix(key)
	}
	h := c.hash & uint64(len(c.recent)-1)
	id := c.recent[h] - 1
	if id < 0 || c.entries[id].at != at || c.entries[id].kind != kind || c.entries[id].head < 0 {
		if k := len(c.free); k > 0 {
			id = c.free[k-1]
			c.free = c.free[:k-1]
		} else {
			id = int32(len(c.entries))
			c.entries = append(c.entries, calEntry{})
		}
		c.entries[id] = calEntry{at: at, kind: kind, head: slot, tail: slot, pos: int32(len(c.heap))}
		*n = calNode{-1, -1, id}
		c.recent[h] = id + 1
		c.heap = append(c.heap, calKey{at, id})
		c.up(len(c.heap) - 1)
		return
	}
	e := &c.entries[id]
	*n = calNode{-1, e.tail, id}
	c.nodes[e.tail].next = slot
	e.tail = slot
}

// when returns the time that slot is set to; Never if it is not.
func (c *calendar) when(slot int32) sim.Time {
	if n := c.nodes[slot].entry; n >= 0 {
		return c.entries[n].at
	}
	return sim.Never
}

// clear takes slot out of the calendar.
func (c *calendar) clear(slot int32) {
	n := &c.nodes[slot]
	if n.entry < 0 {
		return
	}
	e := &c.entries[n.entry]
	if n.prev >= 0 {
		c.nodes[n.prev].next = n.next
	} else {
		e.head = n.next
	}
	if n.next >= 0 {
		c.nodes[n.next].prev = n.prev
	} else {
		e.tail = n.prev
	}
	if e.head < 0 {
		c.drop(n.entry)
	}
	*n = calNode{-1, -1, -1}
}

// take removes the earliest entry, appends its slots to buf in the order in
// which they were set, and returns them with its time and kind.
func (c *calendar) take(buf []int32) ([]int32, sim.Time, uint8) {
	id := c.heap[0].id
	e := &c.entries[id]
	for s := e.head; s >= 0; {
		buf = append(buf, s)
		n := &c.nodes[s]
		s = n.next
		*n = calNode{-1, -1, -1}
	}
	e.head = -1
	at, kind := e.at, e.kind
	c.drop(id)
	return buf, at, kind
}

// drop removes an empty entry.
func (c *calendar) drop(id int32) {
	i := int(c.entries[id].pos)
	c.free = append(c.free, id)
	n := len(c.heap) - 1
	last := c.heap[n]
	c.heap = c.heap[:n]
	if i == n {
		return
	}
	c.heap[i] = last
	c.entries[last.id].pos = int32(i)
	c.down(i)
	if c.heap[i] == last {
		c.up(i)
	}
}

func (c *calendar) up(i int) {
	k := c.heap[i]
	for i > 0 {
		p := (i - 1) / 4
		if !k.before(c.heap[p]) {
			break
		}
		c.heap[i] = c.heap[p]
		c.entries[c.heap[i].id].pos = int32(i)
		i = p
	}
	c.heap[i] = k
	c.entries[k.id].pos = int32(i)
}

func (c *calendar) down(i int) {
	k, n := c.heap[i], len(c.heap)
	for {
		j := 4*i + 1
		if j >= n {
			break
		}
		m := j
		for e := min(j+4, n); j < e; j++ {
			if c.heap[j].before(c.heap[m]) {
				m = j
			}
		}
		if !c.heap[m].before(k) {
			break
		}
		c.heap[i] = c.heap[m]
		c.entries[c.heap[i].id].pos = int32(i)
		i = m
	}
	c.heap[i] = k
	c.entries[k.id].pos = int32(i)
}
