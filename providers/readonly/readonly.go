// Package readonly tells which programs are part of a read-only run of an agent, for the
// parts of ctxfs that are asked by programs and act for them outside of the run's sandbox:
// it is package confined for those that are no providers.
package readonly

import (
	"net"

	"ctxfs/fs"
	"ctxfs/providers/internal/confined"
	"ctxfs/providers/internal/sockets"
)

// Guard confines the callers of one state folder by its runs.
type Guard struct{ register confined.Register }

// In returns the guard of a state folder.
func In(state string) Guard { return Guard{confined.In(state)} }

// Process returns what confines a process, by its ID, 0 if that is not known; nil if
// nothing does. Without any run it costs a look at a folder.
func (g Guard) Process(pid int) *fs.Confined { return g.register.Check(pid) }

// Peer returns what confines the process at the other end of a Unix socket; nil if nothing
// does.
func (g Guard) Peer(conn *net.UnixConn) *fs.Confined { return g.register.Peer(conn) }

// PeerTCP is Peer for a connection by TCP within this machine: a process is confined that
// has its other end open now.
func (g Guard) PeerTCP(conn net.Conn) *fs.Confined {
	unknown := g.Process(0)
	if unknown == nil {
		return nil
	}
	from, ok := conn.RemoteAddr().(*net.TCPAddr)
	to, also := conn.LocalAddr().(*net.TCPAddr)
	if !ok || !also {
		return unknown
	}
	pids := sockets.Connected(from.AddrPort(), to.AddrPort())
	for _, pid := range pids {
		if by := g.Process(pid); by != nil {
			return by
		}
	}
	if len(pids) == 0 {
		return unknown
	}
	return nil
}

// Run returns the id of the run of an agent, of whatever kind, that a process is part of,
// or "".
func (g Guard) Run(pid int) string {
	if run, inside := g.register.Of(pid); inside {
		return run.ID
	}
	return ""
}
