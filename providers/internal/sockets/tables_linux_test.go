package sockets

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestTables(t *testing.T) {
	s := make(table)
	s.addTCP("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0 0 10 0\n" +
		"   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4243 1 0\n" +
		"   2: 0100007F:0BB8 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 4244 1 0\n")
	s.addTCP("   0: 00000000000000000000000001000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4245 1\n" +
		"   1: 0000000000000000FFFF00000100007F:1F92 0:0 0A 0:0 0:0 0 0 0 4246 1\nbroken\n 1: zz:1 0:0 0A 0:0 0:0 0 0 0 7 1\n")
	s.addUnix("Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01  4250 /run/my  socket\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01 425100 @abstract\n" +
		"0000000000000000: 00000003 00000000 00000000 0001 03 4252 /run/connected\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01 4253\n")
	want := map[uint64]string{4242: "tcp 127.0.0.1:3000", 4243: "tcp *:8080", 4245: "tcp [::1]:8081", 4246: "tcp 127.0.0.1:8082", 4250: "unix /run/my  socket", 425100: "unix @abstract"}
	for inode, at := range want {
		if at == "unix /run/my  socket" {
			at = `unix "/run/my  socket"` // two spaces
		}
		fstest.Equal(t, s[inode], at, "listens at", inode)
	}
	fstest.Equal(t, len(s), len(want), s)
}

func FuzzTables(f *testing.F) {
	f.Add("   0: 0100007F:0BB8 00000000:0000 0A 0:0 0:0 0 1000 0 4242 1\n")
	f.Add("0000000000000000: 00000002 00000000 00010000 0001 01 4250 /run/x\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := make(table)
		s.addTCP(text)
		s.addUnix(text)
		for _, at := range s {
			if strings.ContainsAny(at, "\t\n\x1b") {
				t.Errorf("not one word: %q", at)
			}
		}
	})
}
