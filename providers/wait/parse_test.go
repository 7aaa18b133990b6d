package wait

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`terminal 3 --for "ready in"`, "[terminal 3 --for ready in]"},
		{"terminal 3 --for=x=y", "[terminal 3 --for x=y]"},
		{"terminal 3 --for ,", "[terminal 3 --for ,]"},
		{"terminal 3 --exit , server github ready,2", "[terminal 3 --exit server github ready,2]"},
		{"terminal 3 --idle 2s , question", "[terminal 3 --idle 2s question]"},
		{"terminal 3 --idle , session x --idle=1m", "[terminal 3 --idle session x --idle 1m0s]"},
		{"terminal --exit", "[terminal --exit]"},
		{"port 3000", "[port 3000]"},
		{"terminal 3 --for", "error: --for needs"},
		{"terminal 3 --for ''", "error: --for needs a regular expression"},
		{"terminal 3 --for [", "error: --for: missing closing ]"},
		{"terminal 3 --idle 2", "error: --idle takes a time"},
		{"terminal 3 --idle=soon", "error: --idle takes a time"},
		{"terminal 3 --exit --idle", "error: terminal 3: wait for one of --exit and --idle"},
		{"terminal 3 --exit=4", "error: --exit takes no value"},
		{"server github ready now", "error: server github: wait for one of ready and now"},
		{"port 1 ,", "error: there is no condition"},
		{", port 1", "error: there is no condition"},
		{"port 1 , , port 2", "error: there is no condition"},
	} {
		words, err := Split(c.line)
		if err != nil {
			t.Fatalf("%s: %v", c.line, err)
		}
		got := ""
		if all, err := Parse(words); err != nil {
			got = "error: " + err.Error()
		} else {
			got = fmt.Sprint(all)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, not %s", c.line, got, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`a  "b c" 'd "e'`:          {"a", "b c", `d "e`},
		`\d+ '\d+' "\d\"" a\ b ''`: {"d+", `\d+`, `\d"`, "a b", ""},
		"":                         nil,
	} {
		if got, err := Split(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	if _, err := Split(`a "b`); err == nil {
		t.Error("a quote that is not closed is no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`terminal 3 --for "x" , file y --gone`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			return
		}
		if all, err := Parse(words); err == nil && len(words) > 0 && len(all) == 0 {
			t.Errorf("%q: no condition and no error", line)
		}
	})
}
