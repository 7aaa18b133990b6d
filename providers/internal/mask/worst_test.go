package mask

import (
	"strings"
	"testing"
	"time"
)

// TestWorstCases: texts made only of what the rules search for, on one line and
// on many, must not cost more than a recording can bear. Quadratic time would
// take minutes here.
func TestWorstCases(t *testing.T) {
	for _, piece := range []string{
		"password=", "password: ", "\"password\":", "kind: Secret\ndata:\n", "kind: Secret ", "kind:secret\n a: b\n", "token (", "password ",
		"curl -u a:b ", "mysql -pX ", "authorization: ", "cookie: a=1;", "http://", "http://a:b@", "http://a:", "-----BEGIN PRIVATE" + " KEY-----\n", "-----END PRIVATE" + " KEY-----\n",
		"| chpasswd", "echo a | sudo -S ", " login", "docker login -p x ", "airtable ", "twitter: ", "sourcegraph ", "zxlk", "eyJ", "eyJa.", "machine login password ", "\"token\", \"",
		"--password ", "from-literal=", "identified by '", "'", "\"", "\\", "password='", "password=\"\\", "(", "    ", "password=${", "<password>", "api key ", "secret.", "a:5432:", ":*:",
	} {
		for _, end := range []string{"", "\n"} {
			const size = 16 << 10
			text := []byte(strings.Repeat(piece+end, size/len(piece+end)))
			start := time.Now()
			New().Mask(text)
			took := time.Since(start)
			t.Logf("%q: %.1f MB/s", piece+end, size/1e6/took.Seconds())
			if took > 10*time.Second {
				t.Errorf("16 KB of %q take %v", piece+end, took)
			}
		}
	}
}
