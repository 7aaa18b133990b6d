package gateway

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// checkPeer returns why a program at the other end of a connection on this
// machine may not use it: it must be this user's or root's. It reads the
// kernel's table of connections, which takes a millisecond for some thousand of
// them.
func checkPeer(peer, here net.Addr) error {
	from, to, err := addresses(peer, here)
	if err != nil {
		return err
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		uid, err := ownerIn(table, from, to)
		if errors.Is(err, errNoConnection) || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if uid != 0 && uid != os.Getuid() {
			return fmt.Errorf("it belongs to user %d", uid)
		}
		return nil
	}
	return errNoConnection
}

func addresses(peer, here net.Addr) (from, to netip.AddrPort, err error) {
	a, ok := peer.(*net.TCPAddr)
	b, also := here.(*net.TCPAddr)
	if !ok || !also {
		return from, to, fmt.Errorf("%v is not a TCP address", peer)
	}
	plain := func(a *net.TCPAddr) netip.AddrPort {
		p := a.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return plain(a), plain(b), nil
}

var errNoConnection = errors.New("the kernel knows no such connection")

func ownerIn(path string, from, to netip.AddrPort) (uid int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return ownerOf(f, from, to)
}

// established is the state of a connection whose ends are both open.
const established = "01"

// ownerOf returns the user of the socket that is bound to one address and connected
// to another, from a table as described in proc_net_tcp(5). A socket that its
// program has closed no longer has an owner, whatever the table says: it has user 0
// and no inode.
func ownerOf(table io.Reader, from, to netip.AddrPort) (uid int, err error) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		// sl local remote state queues timer retransmits uid timeout inode
		f := strings.Fields(lines.Text())
		if len(f) < 10 || f[3] != established || f[9] == "0" {
			continue
		}
		local, ok := kernelAddress(f[1])
		remote, also := kernelAddress(f[2])
		if !ok || !also || local != from || remote != to {
			continue
		}
		return strconv.Atoi(f[7])
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	return 0, errNoConnection
}

// kernelAddress parses an address as the kernel writes it: 32-bit words of the
// machine's byte order in hexadecimal, and the port.
func kernelAddress(text string) (a netip.AddrPort, ok bool) {
	host, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(host)
	p, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(b) != 4 && len(b) != 16 {
		return a, false
	}
	for i := 0; i < len(b); i += 4 {
		binary.BigEndian.PutUint32(b[i:], binary.NativeEndian.Uint32(b[i:]))
	}
	ip, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(ip.Unmap(), uint16(p)), true
}
