package gateway

import (
	"net"
	"net/netip"
	"strings"
	"testing"
)

func TestOwnerOf(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	line := func(local, remote, state, uid, inode string) string {
		return "   0: " + local + " " + remote + " " + state + " 00000000:00000000 00:00000000 00000000 " + uid + "        0 " + inode + " 1 0 20 4 30 10 -1\n"
	}
	from, to := netip.MustParseAddrPort("127.0.0.1:4660"), netip.MustParseAddrPort("127.0.0.1:4939")
	const client, server = "0100007F:1234", "0100007F:134B"
	for name, c := range map[string]struct {
		table string
		uid   int // -1: none
	}{
		"one":             {head + line(server, client, "01", "0", "5") + line(client, server, "01", "1000", "6"), 1000},
		"root":            {head + line(client, server, "01", "0", "6"), 0},
		"mapped":          {head + line("0000000000000000FFFF00000100007F:1234", "0000000000000000FFFF00000100007F:134B", "01", "33", "6"), 33},
		"closed":          {head + line(client, server, "01", "0", "0"), -1},
		"closing":         {head + line(client, server, "05", "0", "0"), -1},
		"waiting":         {head + line(client, server, "06", "0", "6"), -1},
		"another port":    {head + line("0100007F:1235", server, "01", "0", "6"), -1},
		"the other end":   {head + line(server, client, "01", "0", "6"), -1},
		"none":            {head, -1},
		"a broken table":  {"x y z\n\n" + line("0100007F", server, "01", "0", "6"), -1},
		"a uid of a word": {head + line(client, server, "01", "root", "6"), -1},
	} {
		uid, err := ownerOf(strings.NewReader(c.table), from, to)
		if (err != nil) != (c.uid < 0) || err == nil && uid != c.uid {
			t.Errorf("%s: %d, %v", name, uid, err)
		}
	}
}

func FuzzOwnerOf(f *testing.F) {
	f.Add("   0: 0100007F:1234 0100007F:134B 01 0:0 00:0 0 1000 0 6 1\n")
	f.Fuzz(func(t *testing.T, table string) {
		_, _ = ownerOf(strings.NewReader(table), netip.MustParseAddrPort("127.0.0.1:1"), netip.MustParseAddrPort("127.0.0.1:2"))
	})
}

// TestCheckPeer checks real connections of this user.
func TestCheckPeer(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err)
			continue
		}
		defer l.Close()
		there, err := net.Dial("tcp", l.Addr().String())
		must(t, err)
		here, err := l.Accept()
		must(t, err)
		defer here.Close()
		if err := checkPeer(here.RemoteAddr(), here.LocalAddr()); err != nil {
			t.Errorf("%s: %v", address, err)
		}
		there.Close()
		if err := checkPeer(here.RemoteAddr(), here.LocalAddr()); err == nil {
			t.Errorf("%s: a connection that its other end has closed has an owner", address)
		}
	}
}
