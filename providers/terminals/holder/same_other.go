//go:build !linux

package holder

// sameOpenFile reports whether two of our descriptors are one open file.
func sameOpenFile(first, second int) bool { return sharesOffset(first, second) }
