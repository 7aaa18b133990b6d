package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"ctxfs/fs/fstest"
)

func TestFingerprints(t *testing.T) {
	same := [][2]string{
		{`{"a":1,"b":[{"c":2,"d":"x"}]}`, `{"b":[{"d":"x","c":2}],"a":1}`},
		{`"\u00e9\/\n"`, `"é/\u000a"`},
		{`{"\u0061":1}`, `{"a":1}`},
		{`"\\\""`, `"\u005c\u0022"`},
	}
	for _, c := range same {
		fstest.Equal(t, FingerprintOf([]byte(c[0])), FingerprintOf([]byte(c[1])), "differ", c[0], c[1])
	}
	all := []string{`1`, `1.0`, `"1"`, `[]`, `{}`, `[1]`, `[[1]]`, `[1,2]`, `[2,1]`, `[[1],2]`, `[[1,2]]`, `{"a":1}`, `{"a":[1]}`, `{"a":1,"a":2}`, `{"a":2,"a":1}`, `{"a":2}`,
		`"\ud800"`, `"\ud801"`, `null`, `"null"`, `12345678901234567890`, `12345678901234567891`, `""`, `"a,b"`, `["a","b"]`, `["a,b"]`, `"\\u0061"`, `"a"`}
	seen := make(map[Fingerprint]string)
	for _, text := range all {
		sum := FingerprintOf([]byte(text))
		if other, ok := seen[sum]; ok {
			t.Errorf("%s is as %s", text, other)
		}
		seen[sum] = text
	}
}

func TestInOrderOf(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1,"b":2,"c":3}`, `{"c":0,"a":0}`, `{"c":3,"a":1,"b":2}`},
		{`{"x":0,"a":{"p":1,"q":2},"b":[{"m":1,"n":2}]}`, `{"b":[{"n":1,"m":1},3],"a":{"q":1,"p":1}}`, `{"x":0,"b":[{"n":2,"m":1}],"a":{"q":2,"p":1}}`},
		{`{"a":"\u00e9"}`, `[]`, `{"a":"\u00e9"}`},
		{`{"a":1,"a":2}`, `{"a":0}`, `{"a":1,"a":2}`},
	} {
		fstest.Equal(t, string(readValue([]byte(c[0])).inOrderOf(readValue([]byte(c[1]))).append(nil)), c[2], "order", c[0], c[1])
	}
}

// FuzzFingerprint checks that every text is read whole, that spaces, escapes and
// order do not count, and that reordering does not change a value.
func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\u00e9\\"},null,true],"":-1.5e3}`))
	f.Add([]byte(`"\ud83d\ude00"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact, indented bytes.Buffer
		if len(text) > 1<<12 || json.Compact(&compact, text) != nil || json.Indent(&indented, text, "", "  ") != nil {
			return
		}
		v := readValue(compact.Bytes())
		if got := v.append(nil); !bytes.Equal(got, compact.Bytes()) {
			t.Fatalf("%s, want %s", got, compact.Bytes())
		}
		turned := turn(v)
		if !bytes.Equal(turned.canonical(nil), v.canonical(nil)) && !twice(v) {
			t.Fatalf("%s: the order of keys counts", text)
		}
		if got := turned.inOrderOf(v).append(nil); !twice(v) && !bytes.Equal(got, compact.Bytes()) {
			t.Fatalf("%s, want %s", got, compact.Bytes())
		}
		var a, b any
		if json.Unmarshal(text, &a) == nil && !twice(v) {
			if json.Unmarshal(turned.append(nil), &b) != nil || !reflect.DeepEqual(a, b) {
				t.Fatalf("%v became %v", a, b)
			}
		}
	})
}

// turn returns a value with the keys of its objects reversed.
func turn(v value) value {
	all := make([]keyed, len(v.members))
	for i, m := range v.members {
		at := i
		if v.text[0] == '{' {
			at = len(all) - 1 - i
		}
		all[at] = keyed{m.key, turn(m.value)}
	}
	v.members = all
	return v
}

// twice reports whether an object has a key twice.
func twice(v value) bool {
	seen := make(map[string]bool)
	for _, m := range v.members {
		if m.key != nil {
			key := string(canonicalScalar(m.key))
			if seen[key] {
				return true
			}
			seen[key] = true
		}
		if twice(m.value) {
			return true
		}
	}
	return false
}
