package transcripts

import (
	"context"
	"fmt"
	"path"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/transcripts/catalogue"
)

var _ fs.Herald = (*Provider)(nil)

// News implements fs.Herald: where the whole history of a session is, which its summary has
// lost. It uses the path by id, since that never changes; the history may not be written
// yet.
func (p *Provider) News(_ context.Context, m fs.Moment) []fs.News {
	if m.Session == "" || m.Subagent != "" || m.Kind != fs.Compacted && m.Kind != fs.Compacting {
		return nil
	}
	const what = "Full history of this session, also from before compactions: "
	folder := path.Join("transcripts", catalogue.ByID, m.Session)
	text := fmt.Sprintf("%srg -n WORDS %s (digest.md beside it sums up)", what, wording.ShellWord(m.Path(folder+"/transcript.md")))
	if m.Root == "" {
		text = fmt.Sprintf("%sctxfs cat %s/transcript.md | rg -n WORDS (ctxfs cat %[2]s/digest.md sums up)", what, folder)
	}
	if m.Kind == fs.Compacting {
		text = "End the summary with this line, word for word:\n" + text
	}
	return []fs.News{{Kind: fs.NewsHistory, Key: string(m.Kind) + " " + m.Time.String(), Rank: fs.Blocking, Text: text}}
}
