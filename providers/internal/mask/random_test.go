package mask

import (
	"crypto/rand"
	b64 "encoding/base64"
	"encoding/hex"
	"testing"

	"ctxfs/fs/fstest"
)

// TestRandomIsHidden: generated values leave nothing, whatever their alphabet.
func TestRandomIsHidden(t *testing.T) {
	seen, kept := 0, 0
	for range 500 {
		var b [24]byte
		_, _ = rand.Read(b[:])
		for _, s := range []string{b64.RawURLEncoding.EncodeToString(b[:]), hex.EncodeToString(b[:16]), b64.StdEncoding.EncodeToString(b[:]), rand.Text()} {
			for _, word := range []string{s, "--account=" + s, "x:" + s} {
				if seen++; len(Random(word)) > len(word)-16 {
					kept++
					t.Logf("%q stays %q", word, Random(word))
				}
			}
		}
	}
	if kept*100 > seen {
		t.Errorf("%d of %d stay", kept, seen)
	}
}

// TestWordsStay that are names, versions and paths.
func TestWordsStay(t *testing.T) {
	for _, word := range []string{
		"", "--viewport-size", "@modelcontextprotocol/server-sequential-thinking@2025.7.1", "mcp_server_sqlite==0.6.2", "v22.14.0", "2025-11-22T09:30:00Z",
		"/usr/lib/x86_64-linux-gnu/libfoo.so.6", "C:\\Users\\Ada\\Documents", "/Users/ada/Library/Application Support/Claude", "127.0.0.1:8080", "1234567890123",
		"io.github.ada/mcp-server", "us-east-1", "gpt-4o-mini", "claude-sonnet-4-5-20250929", "KUBECONFIG=/home/ada/.kube/config", "com.example.MyServer2025",
		"/home/ada/projects/Shop2024/backend-v2/src", "ReadOnlyFileSystemServer", "python3.12-slim-bookworm", "{\"root\":\"/srv/one\",\"depth\":3}", "EnableExperimentalFeatures",
	} {
		fstest.Equal(t, Random(word), word, "became")
	}
}
