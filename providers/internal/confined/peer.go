package confined

import (
	"net"

	"ctxfs/fs"
	"ctxfs/providers/internal/procs"
)

// Peer returns what confines the process at the other end of a Unix socket, as Check does:
// the one that has connected, whoever has its end now. One that has ended meanwhile counts
// as one of which nothing is known.
func (r Register) Peer(conn *net.UnixConn) *fs.Confined {
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

// PeerTCP is Peer for a connection by TCP within this machine: a process is confined that
// has its other end open now.
func (r Register) PeerTCP(conn net.Conn) *fs.Confined {
	unknown := r.Check(0)
	if unknown == nil {
		return nil
	}
	from, ok := conn.RemoteAddr().(*net.TCPAddr)
	to, also := conn.LocalAddr().(*net.TCPAddr)
	if !ok || !also {
		return unknown
	}
	pids := procs.Connected(from.AddrPort(), to.AddrPort())
	for _, pid := range pids {
		if by := r.Check(pid); by != nil {
			return by
		}
	}
	if len(pids) == 0 {
		return unknown
	}
	return nil
}
