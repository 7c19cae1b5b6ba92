//go:build invariants

package packet

// checkEvery is how many events lie between two checks of all invariants.
const checkEvery = 4096

// checkInvariants panics as soon as an invariant breaks. Deadlocks, which are a
// finding about the configuration, are let through.
func (s *shard) checkInvariants(n int) {
	if n%checkEvery != 0 || s.island { // of all shards together
		return
	}
	if v := s.e.violations(s.now); len(v) > len(s.e.cycles) {
		panic("packet: at " + s.now.String() + ": " + v[len(v)-1])
	}
}
