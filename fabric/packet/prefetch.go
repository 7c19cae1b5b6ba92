//go:build amd64 || arm64

package packet

// prefetch asks for the cache lines at some addresses and waits for none.
//
//go:noescape
func prefetch(lines []uintptr)
