package nccl

// Shape is the cluster as the tuner sees it: domains folded, defaults filled,
// and what the environment takes away taken.
func (t *Tuner) Shape() Shape { return t.shape }

// Env is the environment that the tuner was made with.
func (t *Tuner) Env() Env { return t.env }

// MaxChannels is how many channels collectives have; small messages use fewer.
func (t *Tuner) MaxChannels() int { return t.channels }

// WireBytes is what n bytes of data are in the buffers that a protocol sends:
// LL adds a flag to every 4 bytes, LL128 one of 8 bytes to every 120.
func (p Proto) WireBytes(n int64) int64 {
	switch p {
	case LL:
		return 2 * n
	case LL128:
		return (n*128 + 119) / 120
	}
	return n
}

// For is e with what NCCL_ALGO and NCCL_PROTO say of c alone: NCCL finds out
// that a collective has no algorithm left when it is called, not before.
func (e Env) For(c Collective) Env {
	for i := range e.algo {
		if Collective(i) != c {
			e.algo[i], e.proto[i] = 0, 0
		}
	}
	return e
}
