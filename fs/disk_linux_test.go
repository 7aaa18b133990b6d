package fs

import "syscall"

// dropFileRights makes this thread, and no other, nobody to the file system.
func dropFileRights() error { return syscall.Setfsuid(65534) }
