//go:build amd64 || arm64

package packet

// prefetch asks for the cache lines at some addresses and waits for none. They go
// to the second level: what several buckets touch does not fit the first.
//
//go:noescape
func prefetch(lines []uintptr)
