package facts

import (
	"context"
	"encoding/json"
	"path"
	"time"
)

// MomentKind is what happens in an agent when it can be told something.
type MomentKind string

const (
	// SessionStarts is the start of a session, also of one that is resumed or cleared.
	SessionStarts MomentKind = "start"
	// Compacted is the start of a session's context after what preceded was summed up.
	Compacted MomentKind = "compacted"
	// Compacting is the time before that: the text may go into the summary.
	Compacting MomentKind = "compacting"
	// Prompted is a message of the user.
	Prompted MomentKind = "prompt"
	// BeforeTool is the time before a call of a tool, which can still be refused.
	BeforeTool MomentKind = "before"
	// AfterTool is the time after a call of a tool.
	AfterTool MomentKind = "after"
)

// Moment is one run of an agent's hook: what happens, where, and in which session.
type Moment struct {
	Kind MomentKind
	// Agent is the id of the agent, and Session its own id of the session. Subagent is its
	// id of the subagent at work, which has a context of its own, or "".
	Agent, Session, Subagent string
	// Dir is the working folder of the session, an absolute path, or "".
	Dir string
	// Root is the folder in which the tree is shown, or "" where it is shown nowhere.
	Root string
	// Time is now, and Last when the session, or the subagent, was last at a moment, as far
	// as that is known; zero at its first. Resuming a session does not count as a moment.
	Time, Last time.Time
	// Turn is when the session's last turn began: with a message before this one, or with
	// its context. It is zero at the first.
	Turn time.Time
	// Prompt is what the user wrote, at Prompted.
	Prompt string
	// Call is the call, at BeforeTool and AfterTool.
	Call *AgentCall
	// Told reports whether the session was told what has a kind and a key; nil if nothing is
	// known of that.
	Told func(kind NewsKind, key string) bool
}

// Path returns how an agent names a path of the tree: below the folder in which the tree
// is shown, else the path itself.
func (m Moment) Path(p string) string {
	if m.Root == "" {
		return p
	}
	return path.Join(m.Root, p)
}

// AgentCall is the call of one of its tools by an agent.
type AgentCall struct {
	// ID is the agent's id of the call, or "".
	ID string
	// Tool is the agent's name of the tool. Server is set where it is one of an MCP server,
	// which Tool then is without; it is mcp where the agent does not name it.
	Tool, Server string
	// Input has the arguments, as JSON.
	Input json.RawMessage
	// Writes has the absolute paths of the files that the call changes, as far as the
	// arguments tell, and Command the line that it gives to a shell.
	Writes  []string
	Command string
	// Output is what the tool answered, as text, and Failed whether it failed, as far as
	// the agent tells its hooks.
	Output string
	Failed bool
	// MayRefuse reports whether the agent lets its hooks refuse the call, MayReplace whether
	// it lets them replace the output; News for what it does not let them is not asked for.
	MayRefuse, MayReplace bool
}

// News is what an agent should be told.
type News struct {
	// Kind says what it is about: what users switch off, and by what its cost is counted.
	Kind NewsKind
	// Key identifies a piece of news, and changes when it is news again: a version, a time.
	// A session is told news of one kind and key once; since its context was summed up or
	// cleared, news at SessionStarts and Compacted may be told again.
	Key string
	// Covers has the keys of news that is told by this one too.
	Covers []string
	// Rank orders news: the lowest first. What exceeds the budget waits for the next
	// moment.
	Rank NewsRank
	// Text is one line, or a short block of them, in Markdown, without a line break at its
	// end. Foreign text in it has been made safe and is marked as foreign.
	Text string
	// Refuse has the call that follows refused, at BeforeTool with [AgentCall.MayRefuse];
	// Text says why, and what to do instead. Since its key is told once, the same call passes
	// the second time.
	Refuse bool
	// Instead is what the agent is shown in place of the call's output, at AfterTool with
	// [AgentCall.MayReplace]; Text is not said then. It is no part of the budget.
	Instead string
}

// NewsKind is a kind of news, as users write it in the configuration.
type NewsKind string

const (
	// NewsStart is the page that a session begins with, NewsMemory what is remembered.
	NewsStart  NewsKind = "start"
	NewsMemory NewsKind = "memory"
	// NewsHistory is where what a session has forgotten can be read.
	NewsHistory NewsKind = "history"
	// NewsChanges is that files changed behind a session's back, NewsStale that one is about
	// to be edited by an outdated reading.
	NewsChanges NewsKind = "changes"
	NewsStale   NewsKind = "stale"
	// NewsTerminals is that a command in a terminal failed.
	NewsTerminals NewsKind = "terminals"
	// NewsServers is that a server wants a login or an answer.
	NewsServers NewsKind = "servers"
	// NewsRepeats is that a call has failed several times in the same way.
	NewsRepeats NewsKind = "repeats"
	// NewsTasks is what is still to do, NewsNotes the notes that were left.
	NewsTasks NewsKind = "tasks"
	NewsNotes NewsKind = "notes"
	// NewsFinding is what could be used for what the user wants.
	NewsFinding NewsKind = "finding"
	// NewsResults is a long output that was put into a file.
	NewsResults NewsKind = "results"
)

// NewsKinds returns all kinds of news.
func NewsKinds() []NewsKind {
	return []NewsKind{
		NewsStart, NewsMemory, NewsHistory, NewsChanges, NewsStale, NewsTerminals,
		NewsServers, NewsRepeats, NewsTasks, NewsNotes, NewsFinding, NewsResults,
	}
}

// NewsRank is how much a piece of news matters.
type NewsRank int

const (
	// Blocking is what stops work: a refused edit, a server that waits for an answer.
	Blocking NewsRank = 10 * (iota + 1)
	// Behind is what has changed behind the agent's back.
	Behind
	// Orienting is where to begin and where to look on.
	Orienting
	// Helpful is what may save the agent a search.
	Helpful
	// Reminding is what has been open for long.
	Reminding
)

// HookSource is a provider that has news for sessions.
type HookSource interface {
	// News returns what there is to say at a moment, also what has been said to the session
	// before. It is called for every run of a hook, at any time between Start and Close, by
	// several goroutines, and answers from memory within some milliseconds; at the latest
	// when ctx ends, with what it has.
	News(ctx context.Context, m Moment) []News
}
