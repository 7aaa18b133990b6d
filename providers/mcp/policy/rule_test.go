package policy

import (
	"strings"
	"testing"

	"ctxfs/providers/internal/names"
)

// FuzzPolicy matches any pattern with tools of any name: a tool that is denied
// by its own name is denied by that of its file.
func FuzzPolicy(f *testing.F) {
	f.Add("microsoft/playwright-mcp/delete_*", "microsoft/playwright-mcp", "delete_all")
	f.Add("*/fs_delete", "a", "fs/delete")
	f.Add("a?b/É*", "A/B", "e\u0301x")
	f.Add("**/**", "", "\x1b[31m\u202e")
	f.Fuzz(func(t *testing.T, pattern, server, tool string) {
		r := newRule("deny", pattern, 1)
		if len(r.splits) == 0 {
			return
		}
		is := NewSubject([]string{names.File(server), server}, tool, names.File(tool))
		denies := func(s Subject) bool { return s.find([]rule{r}, rule.covers) != nil }
		denied := denies(is)
		for _, s := range []Subject{NewSubject([]string{server}, tool), NewSubject([]string{names.File(server)}, names.File(tool))} {
			if denies(s) && !denied {
				t.Errorf("%q denies %q, but not %q", pattern, s, is)
			}
		}
		if is.find([]rule{r}, rule.names) != nil && !denied {
			t.Errorf("%q names %q, and does not cover it", pattern, is)
		}
		if denied && !r.concernsAny([]string{names.File(server), server}) {
			t.Errorf("%q denies a tool of %q, which it does not concern", pattern, server)
		}
		if whole := newRule("deny", server+"/"+tool, 1); !strings.ContainsAny(server+tool, "*?") && len(whole.splits) > 0 && is.find([]rule{whole}, rule.covers) == nil {
			t.Errorf("the names %q and %q do not deny the tool", server, tool)
		}
		_ = r.ineffective([]candidate{{file: "a", servers: []string{server}, subjects: []Subject{is}, tools: []string{tool}, known: true}})
	})
}
