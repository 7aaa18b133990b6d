package mask

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
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
		fstest.Equal(t, anyRule(string(m.Mask([]byte(text)))), want, text)
	}
	other := known.Masker()
	fstest.Equal(t, string(other.Mask([]byte("kx92-later\n"))), "kx92-later\n", "before")
	m.Mask([]byte("export API_KEY=kx92-later\n"))
	m.Mask([]byte("POSTGRES_PASSWORD=password\n"))
	for text, want := range map[string]string{
		"got kx92-later back\n": "got [] back\n", "a password\n": "a password\n",
	} {
		fstest.Equal(t, anyRule(string(other.Mask([]byte(text)))), want, "then", text)
	}
	fstest.Equal(t, Text("kx92-later"), "kx92-later", "elsewhere")
	for i := range 3 * maxLearnt {
		m.Mask([]byte("X_TOKEN=some-" + strings.Repeat("v", i) + "-1\n"))
	}
	fstest.Equal(t, len(known.current().values), maxLearnt, "values are known")
	fstest.Equal(t, anyRule(string(m.Mask([]byte("zq81-xx-77 kx92-later\n")))), "[] kx92-later\n", "environment's value gave way")
}

// TestLearntTogether: the values of one text are learnt at once, those of an
// environment all stay, and each is hidden as if it were the only one.
func TestLearntTogether(t *testing.T) {
	var environ []string
	for i := range 3 * maxLearnt {
		environ = append(environ, fmt.Sprintf("SERVICE_%d_PASSWORD=of-env-%d-x", i, i))
	}
	known := NewKnown(environ)
	m := known.Masker()
	var text strings.Builder
	const n = 20_000
	for i := range n {
		fmt.Fprintf(&text, "TOKEN=abc-%d-tok\n", i)
	}
	m.Mask([]byte(text.String()))
	m.Mask([]byte(text.String()[text.Len()-maxLearnt*10:])) // nothing new
	fstest.Equal(t, known.builds, 1, "times for one text")
	for text, want := range map[string]string{
		"of-env-0-x of-env-191-x of-env-192-x\n":                                            "[] [] of-env-192-x\n",
		"abc-19999-tok, abc-19950-tok; abc-19-tok xabc-19999-tok":                           "[], []; abc-19-tok xabc-19999-tok",
		"1abc-19999-tok 22 abc-19999-tok333 abc-19999-tok abc-19999-tok":                    "1abc-19999-tok 22 abc-19999-tok333 [] []",
		"\npassword=hunter2x9 abc-19998-tok password=hunter3x9 abc-19997-tok of-env-9-x\n.": "\npassword=[] [] password=[] [] []\n.",
		"curl -H 'Authorization: Bearer abc-19999-tok' x":                                   "curl -H 'Authorization: Bearer []' x",
	} {
		fstest.Equal(t, anyRule(string(known.Masker().Mask([]byte(text)))), want, text)
	}
	m.Mask([]byte("TOKEN=ab1-xyz\nTOKEN=ab1-xyz-0\n"))
	fstest.Equal(t, anyRule(string(m.Mask([]byte("ab1-xyz-01 ab1-xyz-0")))), "[]-01 []", "one value within another")
	for shift := range 16 { // wherever it begins
		text := strings.Repeat(".", shift) + "abc-19999-tok" + strings.Repeat(".", shift)
		if got := anyRule(string(known.Masker().Mask([]byte(text)))); strings.Contains(got, "abc") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestJSONStaysValid also hides what is not a string.
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
