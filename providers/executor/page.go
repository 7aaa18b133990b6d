package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
)

// maxPrompt is how much of a prompt is shown, in bytes.
const maxPrompt = 64 << 10

// shownJSON returns a value as JSON, with its secrets masked and nothing invisible in it.
func shownJSON(value any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(value) // it was read from JSON
	return clean.JSON(mask.JSON(b.Bytes()))
}

// shownRequest returns request.json.
func (p *Provider) shownRequest(j *job.Job) []byte {
	r := j.Request
	if n := len(r.Prompt); n > maxPrompt {
		r.Prompt = fmt.Sprintf("%s\n… the whole, %s, is in %s", clean.Prefix(r.Prompt, maxPrompt), wording.Size(int64(n)), j.Path(job.RequestFile))
	}
	return shownJSON(r)
}

// status is how a run stands, and where what belongs to it is in the tree.
type status struct {
	ID    string        `json:"id"`
	State job.State     `json:"state"`
	Ended request.Ended `json:"ended,omitempty"` // how
	Agent string        `json:"agent"`
	Dir   string        `json:"dir"`
	// Branch is that of its worktree.
	Branch   string    `json:"branch,omitempty"`
	Created  time.Time `json:"created"`
	Started  time.Time `json:"started,omitzero"`
	EndedAt  time.Time `json:"ended_at,omitzero"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Error    string    `json:"error,omitempty"`
	ReadOnly string    `json:"read_only,omitempty"`
	// Within is the run in which it was started.
	Within  string `json:"within,omitempty"`
	Session string `json:"session,omitempty"`
	links
}

// links are paths relative to the tree's root.
type links struct {
	Terminal   string `json:"terminal,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	Digest     string `json:"digest,omitempty"`
	Diff       string `json:"diff,omitempty"`
}

func (p *Provider) linksOf(j *job.Job) (l links) {
	if id := j.Status.Terminal; id != "" {
		l.Terminal = "terminals/" + id + ".txt"
	}
	session := j.Status.Session
	if j.Ended() && j.Result.Session != "" {
		session = j.Result.Session
	}
	if has := p.opts.HasSession; has != nil && j.Ended() && session != "" && !has(session) {
		session = "" // it writes none, or elsewhere
	}
	if session != "" && !strings.ContainsAny(session, "/\x00") {
		l.Transcript = "transcripts/by-id/" + session + "/transcript.md"
		l.Digest = "transcripts/by-id/" + session + "/digest.md"
	}
	if _, err := os.Stat(j.Path(job.DiffFile)); err == nil {
		l.Diff = "agents/" + j.ID + "/" + job.DiffFile
	}
	return l
}

// session returns the paths of what there is of its session.
func (l links) session() []string {
	return slices.DeleteFunc([]string{l.Transcript, l.Digest}, func(path string) bool { return path == "" })
}

// shownStatus returns status.json.
func (p *Provider) shownStatus(j *job.Job) []byte {
	s := status{
		ID: j.ID, State: j.Status.State, Agent: j.Status.Agent, Dir: j.Status.Dir, Branch: j.Status.Branch,
		Created: j.Status.Created, Started: j.Status.Started, EndedAt: j.Status.Ended,
		ReadOnly: j.Status.ReadOnly, Within: j.Status.Within, Session: j.Status.Session, links: p.linksOf(j),
	}
	if j.Ended() {
		s.Ended, s.ExitCode, s.Error = j.Result.Ended, j.Result.ExitCode, j.Result.Error
	}
	return shownJSON(s)
}

// shownText returns foreign text as it is shown, with an end of its last line.
func shownText(text string) string {
	text = mask.Text(clean.Text(strings.ToValidUTF8(text, "\uFFFD")))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// header returns what is above an agent's answer.
func (p *Provider) header(j *job.Job) []byte {
	var b bytes.Buffer
	line := func(key, value string) {
		if value = clean.Line(mask.Text(value)); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	b.WriteString("---\n")
	r := j.Result
	line("run", j.ID)
	line("agent", r.Agent)
	line("ended", string(r.Ended))
	if r.ExitCode != nil {
		line("exit_code", fmt.Sprint(*r.ExitCode))
	}
	line("error", r.Error)
	if !j.Status.Started.IsZero() {
		line("started", wording.Time(j.Status.Started))
		line("duration", wording.Seconds(time.Duration(r.DurationMS)*time.Millisecond))
	}
	line("dir", j.Status.Dir)
	line("branch", r.Branch)
	l := p.linksOf(j)
	line("transcript", l.Transcript)
	line("digest", l.Digest)
	if l.Diff != "" {
		line("diff", fmt.Sprintf("%s (%s)", l.Diff, wording.Count(len(r.Changed), "files")))
	}
	line("terminal", l.Terminal)
	b.WriteString("---\n\n")
	return b.Bytes()
}

// maxKept is the longest answer that is kept in memory from the start, in bytes.
const maxKept = 64 << 10

// page returns result.md: facts, and the agent's answer. A long one is read when it is
// asked for.
func (p *Provider) page(j *job.Job, at time.Time) fs.Node {
	head := p.header(j)
	info, err := os.Stat(j.Path(job.TextFile))
	if err != nil {
		return fs.NewText(at, head, []byte(shownText(j.Result.Text)))
	}
	render := func(context.Context) ([]byte, error) {
		text, err := readUpTo(j.Path(job.TextFile), maxAnswer)
		return append(bytes.Clone(head), shownText(string(text))...), err
	}
	if info.Size() > maxKept {
		version := fs.BytesVersion(head, fmt.Appendf(nil, "%d %d", info.Size(), info.ModTime().UnixNano()))
		return fs.NewRendered(at, version, render)
	}
	body, err := render(context.Background())
	if err != nil {
		p.opts.Env.Log.Warn("an agent's answer cannot be read", "id", j.ID, "error", err)
	}
	return fs.NewText(at, body)
}

// maxAnswer is how much of an answer is shown, in bytes: more than is stored of one.
const maxAnswer = 16 << 20

func readUpTo(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// Limits, in bytes, on what of a prompt and an answer is indexed, and shown on a line.
const (
	promptLen = 120
	foundLen  = 2 << 10
)

// answerLine returns the beginning of an answer, on a line, or "".
func answerLine(j *job.Job) string {
	if !j.Ended() {
		return ""
	}
	return clean.Cut(clean.Line(mask.Text(clean.Prefix(j.Result.Text, 4*foundLen))), foundLen)
}
