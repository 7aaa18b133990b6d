package sockets

import (
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/procs"
)

// Connected returns the processes that have one end of a TCP connection of this machine
// open, of those that the system shows: the end at the address from, whose other end is at
// to.
func Connected(from, to netip.AddrPort) (pids []int) {
	inode, ok := connection(from, to)
	if !ok {
		return nil
	}
	all, _ := procs.All() // where the system lists no processes
	link := "socket:[" + strconv.FormatUint(inode, 10) + "]"
	return slices.DeleteFunc(all, func(pid int) bool { return !holds(pid, link) })
}

// connection returns the inode of one end of a connection. A connection that its program
// has closed has no inode.
func connection(from, to netip.AddrPort) (inode uint64, ok bool) {
	local, remote := plain(from), plain(to)
	for _, name := range []string{"tcp", "tcp6"} {
		for line := range strings.Lines(readTable(os.Getpid(), name)) {
			fields := strings.Fields(line) // as in addTCP
			if len(fields) < 10 || fields[3] == tcpListen || fields[9] == "0" {
				continue
			}
			a, known := address(fields[1])
			b, also := address(fields[2])
			if !known || !also || a != local || b != remote {
				continue
			}
			inode, err := strconv.ParseUint(fields[9], 10, 64)
			return inode, err == nil
		}
	}
	return 0, false
}

// plain returns an address as [address] does.
func plain(a netip.AddrPort) string { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()).String() }

// holds reports whether a process has something open, to which a link in /proc leads.
func holds(pid int, link string) bool {
	dir, err := os.Open(procs.Path(pid, "fd"))
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	return slices.ContainsFunc(names, func(name string) bool {
		target, err := os.Readlink(procs.Path(pid, "fd/"+name))
		return err == nil && target == link
	})
}
