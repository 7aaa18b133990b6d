package supervise

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/config"
)

// TestNPMFailure: what npm says in its log is told while it is the last thing that it says of
// the package, in a log of this start.
func TestNPMFailure(t *testing.T) {
	const argv = `8 verbose argv "exec" "--yes" "--" "@a/server@1"` + "\n"
	failed := "13 http fetch GET https://r.example/@a%2fserver attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN\n"
	for _, c := range []struct{ name, log, want string }{
		{"it tries again", argv + failed, "https://r.example/@a%2fserver attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN"},
		{"it has given up", argv + failed + "20 error code SELF_SIGNED_CERT_IN_CHAIN\n21 error errno x\n", "code SELF_SIGNED_CERT_IN_CHAIN"},
		{"it came at last", argv + failed + "14 http fetch GET 200 https://r.example/@a%2fserver 40ms (cache miss)\n", ""},
		{"another package", failed, ""},
		{"nothing yet", argv, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			log := filepath.Join(home, ".npm", "_logs", "2026-01-02T03_04_05_006Z-debug-0.log")
			fstest.Must(t, os.MkdirAll(filepath.Dir(log), 0o700))
			fstest.Must(t, os.WriteFile(log, []byte(c.log), 0o600))
			p := &Process{env: []string{"HOME=" + home}}
			what, path := p.NPMFailure(config.PackageOf("npx", []string{"-y", "@a/server@1"}))
			if what != c.want || (path == log) != (what != "") {
				t.Errorf("%q of %q", what, path)
			}
			if p.began = time.Now().Add(time.Hour); c.want != "" {
				if what, _ = p.NPMFailure(config.PackageOf("npx", []string{"-y", "@a/server@1"})); what != "" {
					t.Errorf("of an earlier start: %q", what)
				}
			}
		})
	}
}
