//go:build !linux

package packet

// huge does nothing where there is no such advice to give.
func huge[T any](a []T) []T { return a }
