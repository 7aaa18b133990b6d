package transcripts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/render"
)

const (
	// Sessions older than these say nothing about a folder, and what fails there.
	briefAge   = 30 * 24 * time.Hour
	failingAge = 3 * 24 * time.Hour
	// maxBriefed is how many sessions of a folder are read, the last ones.
	maxBriefed = 12
	// maxRemarks is how many remarks there are on one topic.
	maxRemarks = 8
	// maxBriefWords is the longest part of a remark, in bytes.
	maxBriefWords = 100
)

var _ facts.Briefer = (*Provider)(nil)

// told is a session with what it comes to.
type told struct {
	s    *catalogue.Session
	v    catalogue.View
	at   time.Time
	path string
	render.Brief
}

// who returns the agent and the time of the session: of one that is alive only that, since
// its time is another every minute.
func (t *told) who() string {
	if t.v.Live {
		return t.v.Info.Agent + ", now"
	}
	return t.v.Info.Agent + ", " + wording.Minute(t.at)
}

// Brief implements facts.Briefer: what the last sessions in a folder have done, how far they
// have come, and which of them are alive.
func (p *Provider) Brief(dir string) (all []facts.Remark) {
	sessions := p.lastSessions(dir)
	all = append(all, p.buildRemarks(dir, sessions)...)
	alive := aliveFirst(sessions)
	for _, t := range sessions {
		said := t.at
		if t.v.Live {
			said = alive
		}
		if t.v.Live {
			all = append(all, facts.Remark{Topic: facts.TopicAgents, Time: t.at, Path: t.path, Cells: []string{
				t.v.Info.Agent, t.v.Info.ID, wording.Time(t.at), t.doing(), cmp.Or(t.File, "-"),
			}})
		}
		all = append(all, facts.Remark{
			Topic: facts.TopicSessions, Time: said, Path: p.short(t),
			Text: fmt.Sprintf("%s: %s — %s", t.who(), words(cmp.Or(t.v.Info.Title, "without a title")), t.state(dir)),
		})
	}
	return all
}

// aliveFirst puts the sessions that are alive first, in an order that does not change with
// what they write, and returns when the last of them wrote.
func aliveFirst(sessions []*told) (last time.Time) {
	for _, t := range sessions {
		if t.v.Live {
			last = wording.Later(last, t.at)
		}
	}
	slices.SortStableFunc(sessions, func(a, b *told) int {
		switch {
		case a.v.Live && b.v.Live:
			return cmp.Or(b.v.Info.Start.Compare(a.v.Info.Start), strings.Compare(a.s.ID, b.s.ID))
		case a.v.Live:
			return -1
		case b.v.Live:
			return 1
		}
		return 0
	})
	return last
}

// lastSessions returns the last sessions in a folder and below it, the last one first.
func (p *Provider) lastSessions(dir string) (last []*told) {
	for _, s := range p.catalogue.LastWithin(dir, p.opts.Env.Now().Add(-briefAge), maxBriefed) {
		v, there := p.catalogue.View(s)
		where := p.catalogue.Path(s)
		if there && where != "" {
			last = append(last, &told{s: s, v: v, at: v.LastTime().UTC(), path: where, Brief: p.briefs.get(p.cache, s, &v, (*render.Summary).Brief)})
		}
	}
	return last
}

// doing returns what a session that is alive does.
func (t *told) doing() string {
	switch {
	case t.Waiting:
		return words(t.Doing)
	case t.Asks != "":
		return "asks: " + words(t.Asks)
	case t.Doing == "":
		return "-"
	}
	return "last: " + words(t.Doing)
}

// short returns the path of the session's digest, as short as it may be.
func (p *Provider) short(t *told) string {
	id := catalogue.ShortID(t.s.ID)
	if len(id) < 8 || len(p.catalogue.WithPrefix(id)) != 1 {
		return path.Join(t.path, "digest.md")
	}
	return path.Join(catalogue.ByID, id, "digest.md")
}

// state returns where a session in a folder stands.
func (t *told) state(dir string) string {
	var parts []string
	if t.v.Live {
		parts = append(parts, "at work")
		if fs.Within(t.File, dir) && t.File != dir {
			parts[0] += ", last in " + clean.Path(strings.TrimPrefix(t.File, dir+"/"), maxBriefWords)
		}
		if t.Waiting {
			parts = append(parts, "waits for "+words(t.Doing))
		}
	}
	switch {
	case t.v.Live && t.Waiting:
	case t.Trouble != "":
		parts = append(parts, "stopped: "+words(t.Trouble))
	case t.Asks != "":
		parts = append(parts, "asked: "+words(t.Asks))
	}
	if t.Undone > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tasks open", t.Undone, t.Listed))
	}
	if len(parts) == 0 {
		return "ended"
	}
	return strings.Join(parts, "; ")
}

// buildRemarks returns the commands that built and tested with success, and those that
// failed last, over all sessions.
func (p *Provider) buildRemarks(dir string, sessions []*told) (all []facts.Remark) {
	type lineUse struct {
		render.Run
		where string // "in api/: ", or "" for the folder itself
		last  *told  // that ran it last
	}
	lines := make(map[string]*lineUse)
	for _, t := range slices.Backward(sessions) { // the last one last
		where := t.below(dir)
		for _, r := range t.Runs {
			u := lines[where+r.Line]
			if u == nil {
				lines[where+r.Line] = &lineUse{r, where, t}
				continue
			}
			u.last, u.Last, u.Error = t, r.Last, r.Error
			u.OK, u.Bad = u.OK+r.OK, u.Bad+r.Bad
			u.Worked, u.Failed = wording.Later(u.Worked, r.Worked), wording.Later(u.Failed, r.Failed)
		}
	}
	used := slices.SortedFunc(maps.Values(lines), func(a, b *lineUse) int {
		return cmp.Or(cmp.Compare(b.OK, a.OK), b.Worked.Compare(a.Worked), strings.Compare(a.where+a.Line, b.where+b.Line))
	})
	worked, failing := 0, 0
	for _, u := range used {
		switch {
		case u.Last && worked < maxRemarks:
			worked++
			text := u.where + "`" + u.Line + "` worked"
			if !u.Worked.IsZero() {
				text += " " + wording.Minute(u.Worked)
			}
			all = append(all, facts.Remark{Topic: facts.TopicBuild, Text: fmt.Sprintf("%s (%s, %s)", text, wording.Count(u.OK, "times"), u.last.v.Info.Agent)})
		case !u.Last && failing < maxRemarks && len(sessions) > 0 && sessions[0].at.Sub(u.last.at) < failingAge:
			failing++
			at := cmp.Or(u.Failed, u.last.at)
			all = append(all, facts.Remark{
				Topic: facts.TopicFailing, Time: at, Path: p.short(u.last),
				Text: fmt.Sprintf("%s`%s` failed %s (%s): %s", u.where, u.Line, wording.Minute(at), u.last.v.Info.Agent, words(u.Error)),
			})
		}
	}
	return all
}

// below returns where a session is that began below a folder: "in api/: "; "" for the
// folder itself.
func (t *told) below(dir string) string {
	if in, ok := strings.CutPrefix(path.Clean(t.v.Info.CWD), dir+"/"); ok {
		return "in " + clean.Path(in, maxBriefWords) + "/: "
	}
	return ""
}

func words(text string) string { return clean.Cut(clean.Line(text), maxBriefWords) }

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
