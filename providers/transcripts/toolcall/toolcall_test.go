package toolcall

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
)

func shell(command string) *Call {
	input, _ := json.Marshal(map[string]string{"command": command, "workdir": "/w"})
	return Parse(&event.Call{Name: "Bash", Input: string(input)})
}

func TestView(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"cat a":                      "/w/a 1-0",
		"cat -n '/x/a b'":            "/x/a b 1-0",
		"cd sub && cat a":            "/w/sub/a 1-0",
		"head a":                     "/w/a 1-10",
		"head -n 7 a":                "/w/a 1-7",
		"head -20 a":                 "/w/a 1-20",
		"sed -n 3p a":                "/w/a 3-3",
		"sed -n '3,$p' a":            "/w/a 3-0",
		`sed -n "3,90p" a`:           "/w/a 3-90",
		"nl -ba a | sed -n '5,9p'":   "/w/a 5-9",
		"cat a | head -n 3":          "/w/a 1-3",
		"sed -n '3,9p' a | head":     "",
		"sed -i s/x/y/ a":            "",
		"sed -n '/x/p' a":            "",
		"cat a b":                    "",
		"cat":                        "",
		"cat -- -a":                  "",
		"cat a && rm a":              "",
		"cat $(rm a)":                "",
		"cat a*":                     "",
		"cat a\nrm a":                "",
		"cat a; rm a":                "",
		"cat a | tee b":              "",
		"cat 'a":                     "",
		"head -n x a":                "",
		strings.Repeat("cat ", 9000): "",
	} {
		got := ""
		if v := shell(command).View(); v != nil {
			got = fmt.Sprintf("%s %d-%d", v.Path, v.From, v.To)
		}
		fstest.Equal(t, got, want, command)
	}
}

func TestRemoves(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"rm -rf a '/x/b c'":        {"/w/a", "/x/b c"},
		"cd sub && rm a && make":   {"/w/sub/a"},
		"git rm --cached a":        {"/w/a"},
		"mv a b c":                 {"/w/a", "/w/b"},
		"rm $X":                    nil,
		"rm *.go":                  nil,
		"echo a | rm":              nil,
		"rm":                       nil,
		"cargo rm a":               nil,
		"find . -name a -exec rm ": nil,
	} {
		fstest.EqualSlices(t, shell(command).Removes(), want, command)
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, input string
		want        []string
	}{
		{"apply_patch", `{"command":"*** Begin Patch\n*** Update File: notes.md\n@@\n-beta\n+x\n*** End Patch"}`, []string{"notes.md"}}, // Codex's hooks
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"}`, []string{"a", "b"}},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Update File: a\n*** End Patch"]}`, []string{"a"}},
		{"editFiles", `{"files":["vs.txt","b.txt"]}`, []string{"vs.txt", "b.txt"}}, // VS Code
		{"shell", `{"command":"echo a"}`, nil},
	} {
		var got []string
		for _, file := range Parse(&event.Call{Name: c.tool, Input: c.input}).Files() {
			if file.Writes {
				got = append(got, file.Path)
			}
		}
		fstest.EqualSlices(t, got, c.want, "writes", c.tool, c.input)
	}
}

// FuzzCall: whatever a call is made of, nothing panics, and no file has a line break.
func FuzzCall(f *testing.F) {
	f.Add("Bash", `{"command":"cd x && nl -ba 'a' | sed -n '1,2p'","workdir":"/w"}`)
	f.Add("apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n"}`)
	f.Add("shell", `{"command":["bash","-lc","git mv a b && rm c"]}`)
	f.Fuzz(func(t *testing.T, tool, input string) {
		c := Parse(&event.Call{Name: tool, Input: input})
		for _, file := range c.Files() {
			if file.Path == "" || strings.ContainsAny(file.Path, "\n\x00") {
				t.Fatalf("%q", file.Path)
			}
		}
		c.Removes()
	})
}
