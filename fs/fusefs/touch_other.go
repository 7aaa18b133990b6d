//go:build !linux

package fusefs

func setNow(string) error { return errLinuxOnly }
