package mask

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestKnownValues hides the values of secret variables wherever they appear: those
// of the environment, and those that were assigned since.
func TestKnownValues(t *testing.T) {
	known := NewKnown([]string{"HOME=/home/u", "MY_TOKEN=zq81-xx-77", "DB_PASSWORD=hunter2", "SHORT_TOKEN=ab1", "ADMIN_PASSWORD=postgres", "LOGNAME=zq81", "A_SECRET=/run/secrets/x", "KEY_SECRET=first line of it 1\nanother longer line 22\nx"})
	m := known.Masker()
	for text, want := range map[string]string{
		"zq81-xx-77\n":                       "[]\n",
		"it is zq81-xx-77, and (hunter2).\n": "it is [], and ([]).\n",
		"zq81-xx-77a hunter22 myhunter2\n":   "zq81-xx-77a hunter22 myhunter2\n",
		"ab1 postgres /run/secrets/x\n":      "ab1 postgres /run/secrets/x\n",
		"\x1b[32mhunter2\x1b[0m\n":           "\x1b[32m[]\x1b[0m\n",
		"another longer line 22\n":           "[]\n",
		"x=hunter2&y=1\n":                    "x=[]&y=1\n",
	} {
		if got := anyRule(string(m.Mask([]byte(text)))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	other := known.Masker()
	if got := string(other.Mask([]byte("kx92-later\n"))); got != "kx92-later\n" {
		t.Errorf("before: %q", got)
	}
	m.Mask([]byte("export API_KEY=kx92-later\n"))
	m.Mask([]byte("POSTGRES_PASSWORD=password\n"))
	for text, want := range map[string]string{
		"got kx92-later back\n": "got [] back\n", "a password\n": "a password\n",
	} {
		if got := anyRule(string(other.Mask([]byte(text)))); got != want {
			t.Errorf("then %q: %q", text, got)
		}
	}
	if got := Text("kx92-later"); got != "kx92-later" {
		t.Errorf("elsewhere: %q", got)
	}
	for i := range 3 * maxKnown {
		m.Mask([]byte("X_TOKEN=some-" + strings.Repeat("v", i) + "-1\n"))
	}
	if n := len(known.values); n != maxKnown {
		t.Errorf("%d values are known", n)
	}
}

// TestJSONStaysValid hides what is not a string, too.
func TestJSONStaysValid(t *testing.T) {
	for _, text := range []string{
		`{"password": 123456, "n": 1}`, `{"pin": 1, "db_password":123456}`, `{"a": {"token": 123456789012345678, "x": [1]}}`,
		`{"text": "{\"password\": 123456}", "y": 2}`, `["{\"password\":\"abc\\\"b9c\"}"]`, `{"password": -1234.5}`,
	} {
		got := Text(text)
		if !json.Valid([]byte(got)) || got == text {
			t.Errorf("%s became %s", text, got)
		}
		var outer struct{ Text string }
		if json.Unmarshal([]byte(got), &outer) == nil && outer.Text != "" && !json.Valid([]byte(outer.Text)) {
			t.Errorf("%s became %s", text, outer.Text)
		}
	}
}
