package sockets

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/procs"
)

// table is the listening sockets of one network namespace by their inodes: where each
// listens, as [Listeners.Of] returns it.
type table map[uint64]string

// maxFiles is at how many open files of a process is looked for sockets.
const maxFiles = 4096

// Listeners finds out where processes listen, as of one moment: it reads the kernel's
// tables once. The zero value is ready to use. It is not safe for concurrent use.
type Listeners struct {
	tables map[string]table // by network namespace
	taken  map[uint64]bool
}

// maxPath is the length of the longest path of a Unix socket that is shown, in bytes.
const maxPath = 120

// The state of a TCP socket that listens, TCP_LISTEN, and the flag of a Unix socket that
// does, __SO_ACCEPTCON.
const (
	tcpListen  = "0A"
	acceptsAll = 1 << 16
)

// Of returns where a process takes connections, sorted: "tcp 127.0.0.1:3000",
// "tcp *:8080", "unix /path". A socket that several processes share counts for the one
// that was asked for first.
func (l *Listeners) Of(pid int) []string {
	dir, err := os.Open(procs.Path(pid, "fd"))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxFiles)
	var all []string
	for _, name := range names {
		target, err := os.Readlink(procs.Path(pid, "fd/"+name))
		if err != nil {
			continue
		}
		inode, ok := socketInode(target)
		if !ok || l.taken[inode] {
			continue
		}
		if at, ok := l.table(pid)[inode]; ok {
			if l.taken == nil {
				l.taken = make(map[uint64]bool)
			}
			l.taken[inode] = true
			all = append(all, at)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// socketInode returns the number in "socket:[number]".
func socketInode(link string) (inode uint64, ok bool) {
	number, ok := strings.CutPrefix(link, "socket:[")
	if !ok {
		return 0, false
	}
	inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64)
	return inode, err == nil
}

// table returns the listening sockets of the network namespace in which a process is.
func (l *Listeners) table(pid int) table {
	namespace, err := os.Readlink(procs.Path(pid, "ns/net"))
	if err != nil {
		return nil
	}
	if t, ok := l.tables[namespace]; ok {
		return t
	}
	t := make(table)
	for _, name := range []string{"tcp", "tcp6"} {
		t.addTCP(readTable(pid, name))
	}
	t.addUnix(readTable(pid, "unix"))
	if l.tables == nil {
		l.tables = make(map[string]table)
	}
	l.tables[namespace] = t
	return t
}

// readTable returns a table of sockets, of any length: it is the kernel's.
func readTable(pid int, name string) string {
	text, _ := os.ReadFile(procs.Path(pid, "net/"+name))
	return string(text)
}

// addTCP reads net/tcp or net/tcp6.
func (s table) addTCP(table string) {
	for line := range strings.Lines(table) {
		fields := strings.Fields(line) // sl, local, remote, state, queues, timer, retransmits, user, timeout, inode
		if len(fields) < 10 || fields[3] != tcpListen {
			continue
		}
		inode, err := strconv.ParseUint(fields[9], 10, 64)
		if at, ok := address(fields[1]); ok && err == nil {
			s[inode] = "tcp " + at
		}
	}
}

// address returns "127.0.0.1:3000" for "0100007F:0BB8", and "*:3000" for any address: the
// kernel writes words of four bytes in the machine's order.
func address(text string) (string, bool) {
	host, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(host)
	number, errPort := strconv.ParseUint(port, 16, 16)
	if err != nil || errPort != nil || len(bytes)%4 != 0 {
		return "", false
	}
	for i := 0; i < len(bytes); i += 4 {
		binary.NativeEndian.PutUint32(bytes[i:], binary.BigEndian.Uint32(bytes[i:]))
	}
	ip, ok := netip.AddrFromSlice(bytes)
	if !ok {
		return "", false
	}
	if ip = ip.Unmap(); ip.IsUnspecified() {
		return fmt.Sprintf("*:%d", number), true
	}
	return netip.AddrPortFrom(ip, uint16(number)).String(), true
}

// addUnix reads net/unix. Sockets without a name are left out: no program can connect to
// them.
func (s table) addUnix(table string) {
	for line := range strings.Lines(table) {
		// Address, references, protocol, flags, type, state; then the inode, padded, and
		// the path, which may have spaces.
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 7)
		if len(fields) < 7 {
			continue
		}
		number, path, named := strings.Cut(strings.TrimLeft(fields[6], " "), " ")
		if !named {
			continue
		}
		flags, err := strconv.ParseUint(fields[3], 16, 64)
		inode, errInode := strconv.ParseUint(number, 10, 64)
		if err == nil && errInode == nil && flags&acceptsAll != 0 {
			s[inode] = "unix " + clean.Path(path, maxPath)
		}
	}
}

// ListensAt returns an address at which some process listens at a TCP port, in the network
// that this process sees; "" if none does.
func ListensAt(port int) string {
	t := make(table)
	for _, name := range []string{"tcp", "tcp6"} {
		t.addTCP(readTable(os.Getpid(), name))
	}
	end, found := fmt.Sprintf(":%d", port), ""
	for _, at := range t {
		at = strings.TrimPrefix(at, "tcp ")
		if strings.HasSuffix(at, end) && (found == "" || at < found) {
			found = at
		}
	}
	return found
}
