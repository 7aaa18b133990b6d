package fact

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
)

// FuzzMemory: whatever a file has, what is made of it is safe to show, and as a file it is
// the same memory again.
func FuzzMemory(f *testing.F) {
	for _, seed := range []string{
		"", "Use tabs.", "---\ndescription: a\ntype: lesson\nscope: ~/x\nsource: [b]\nmodified: 2026-01-02\n---\nc",
		"---\nmetadata:\n  type: feedback\n  originSessionId: x\n---\nd", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n", "# T\n\n- `a`\n", "---\n[\n---\nx", "不要用\x1b[31m",
	} {
		f.Add(seed)
	}
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, file string) {
		for _, v := range Versions([]byte(file)) {
			from := Origin{Name: "m", Home: "/home/ada", Now: now, ModTime: now, Path: "/m.md"}
			m := Parse(v.File, from)
			if m == nil {
				continue
			}
			if m.Text == "" || len(m.Description) > MaxDescription+len("…") || m.Description != clean.Line(m.Description) || m.Type.Rank() > 3 || m.Modified.After(now.Add(time.Hour)) {
				t.Errorf("%q becomes %+v", v.File, m)
			}
			body := Head{Description: m.Description, Type: m.Type, Scope: m.Scope, Sources: m.Sources, Modified: m.Modified}.File(m.Text)
			if !utf8.Valid(body) || !clean.Safe(body) {
				t.Errorf("%q is shown as %q", v.File, body)
			}
			if len(body) > frontmatter.MaxBytes || strings.Contains(m.Description+strings.Join(m.Sources, ""), `\`) {
				continue
			}
			again := Parse(body, from)
			if again == nil || !Same(m, again) || again.Description != m.Description || again.Type != m.Type || Differ(m, again) {
				t.Errorf("%q becomes %+v, and that %+v", v.File, m, again)
			}
		}
	})
}
