package transcripts

import (
	"context"
	"fmt"
	"path"

	"ctxfs/fs/wording"
	"ctxfs/providers/facts"
	"ctxfs/providers/transcripts/catalogue"
)

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource: where the whole history of a session is, which its summary has
// lost. It uses the path by id, since that never changes; the history may not be written
// yet.
func (p *Provider) News(_ context.Context, m facts.Moment) []facts.News {
	if m.Session == "" || m.Subagent != "" || m.Kind != facts.Compacted && m.Kind != facts.Compacting {
		return nil
	}
	const what = "Full history of this session, also from before compactions: "
	folder := path.Join("transcripts", catalogue.ByID, m.Session)
	text := fmt.Sprintf("%srg -n WORDS %s (digest.md beside it sums up)", what, wording.ShellWord(m.Path(folder+"/transcript.md")))
	if m.Root == "" {
		text = fmt.Sprintf("%sctxfs cat %s/transcript.md | rg -n WORDS (ctxfs cat %[2]s/digest.md sums up)", what, folder)
	}
	if m.Kind == facts.Compacting {
		text = "End the summary with this line, word for word:\n" + text
	}
	return []facts.News{{Kind: facts.NewsHistory, Key: string(m.Kind) + " " + m.Time.String(), Rank: facts.Blocking, Text: text}}
}
