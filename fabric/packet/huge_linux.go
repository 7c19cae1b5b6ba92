package packet

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a transparent huge page on amd64 and arm64 with 4 KiB
// pages.
const hugePage = 2 << 20

// huge asks the kernel to back a with huge pages, before it is touched. Events
// hop at random over arrays of many megabytes; with small pages every one of
// them misses the TLB. It is advice: without effect nothing else changes.
func huge[T any](a []T) []T {
	n := uintptr(cap(a)) * unsafe.Sizeof(*new(T))
	if n < 2*hugePage {
		return a
	}
	p := unsafe.Pointer(unsafe.SliceData(a))
	skip := -uintptr(p) & (hugePage - 1)
	b := unsafe.Slice((*byte)(unsafe.Add(p, skip)), (n-skip)&^(hugePage-1))
	_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	return a
}
