//go:build !linux

package processes

// Read returns [ErrUnsupported]: this system has no /proc.
func Read(Options) (map[string][]Process, error) { return nil, ErrUnsupported }
