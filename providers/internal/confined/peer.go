package confined

import (
	"syscall"

	"ctxfs/fs"
)

// Peer returns what confines the process at the other end of a Unix socket, as Check does:
// the one that has connected, even if another process has its end now. If it has ended
// meanwhile, its origin counts as unknown.
func (r Register) Peer(conn syscall.Conn) *fs.Confined {
	unknown := r.Check(0)
	if unknown == nil {
		return nil // there is no read-only run
	}
	pid, still := peerOf(conn)
	if by := r.Check(pid); by != nil {
		return by
	}
	if !still() {
		return unknown // that was another process, which has got its number
	}
	return nil
}
