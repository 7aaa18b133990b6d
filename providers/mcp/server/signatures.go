package server

import (
	"fmt"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/catalogue"
)

// signaturesText returns the text of SIGNATURES.md: what each tool and prompt of a
// server takes, and how that is called; or nil. Server is the name of its folder.
func signaturesText(server string, shown *catalogue.Snapshot) []byte {
	if shown == nil {
		return nil
	}
	var out strings.Builder
	for _, f := range []catalogue.Folder{catalogue.ToolFolder, catalogue.PromptFolder} {
		items := shown.Sections[f].Items
		if len(items) == 0 {
			continue
		}
		if out.Len() == 0 {
			fmt.Fprintf(&out, "# %s: what its tools take\n\nFirst what is needed; ? may be left out, [] is a list, {} an object; unmarked is text.\n", server)
		}
		word := wording.ShellWord(server)
		if f == catalogue.ToolFolder {
			fmt.Fprintf(&out, "\n## %s: ctxfs call %s TOOL --name value\n\n", wording.Count(len(items), "tools"), word)
		} else {
			fmt.Fprintf(&out, "\n## %s: ctxfs prompt-get %s PROMPT --arg name=value\n\n", wording.Count(len(items), "prompts"), word)
		}
		for i := range items {
			out.WriteString(items[i].Signature())
			if items[i].Summary != "" {
				out.WriteString(" — " + items[i].Summary)
			}
			out.WriteByte('\n')
		}
	}
	return []byte(out.String())
}
