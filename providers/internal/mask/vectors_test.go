package mask

import (
	"bytes"
	"compress/gzip"
	encoding "encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// vector is a text of the tests of gitleaks' rules, with the secrets that its
// rule finds in it; none if it should find none.
type vector struct {
	Rule    string   `json:"rule"`
	Path    string   `json:"path,omitempty"`
	Text    string   `json:"text"`
	Secrets []string `json:"secrets,omitempty"`
}

func vectors(t *testing.T) (all []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.txt")
	fstest.Must(t, err)
	z, err := gzip.NewReader(encoding.NewDecoder(encoding.StdEncoding, bytes.NewReader(text)))
	fstest.Must(t, err)
	for d := json.NewDecoder(z); ; {
		var v vector
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
}

// knownMisses are the texts that are not masked: names of files alone; a user and
// a password in braces, as in a template; a name after which words follow that
// are no value's; a password that is the name of one.
var knownMisses = map[string]int{"pkcs12-file": 3, "curl-auth-user": 1, "generic-api-key": 2, "nuget-config-password": 1}

// TestVectors masks the secrets of all tests of gitleaks' rules.
func TestVectors(t *testing.T) {
	found, total, missed := 0, 0, map[string][]string{}
	rules := map[string]bool{}
	for _, v := range vectors(t) {
		if len(v.Secrets) == 0 {
			continue
		}
		total++
		rules[v.Rule] = true
		got := Text(v.Text)
		if slices.ContainsFunc(v.Secrets, func(s string) bool { return strings.Contains(got, s) }) {
			missed[v.Rule] = append(missed[v.Rule], v.Text)
			continue
		}
		found++
	}
	t.Logf("%d of %d texts of %d rules: %.2f %%", found, total, len(rules), 100*float64(found)/float64(total))
	for rule, texts := range missed {
		if known := knownMisses[rule]; len(texts) > known {
			t.Errorf("%s: %d texts are missed, %d were", rule, len(texts), known)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(missed)) {
		t.Logf("%s: %d missed, such as %.300q", rule, len(missed[rule]), missed[rule][0])
	}
}
