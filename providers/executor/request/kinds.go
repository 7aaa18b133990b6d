package request

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table in config.toml. Its tables are kinds of subagents.
const Table = "agents"

// DefaultLimit is how many agents run at once if nothing else is said.
const DefaultLimit = 8

// Settings are the settings of the table [agents].
type Settings struct {
	Kinds map[string]Kind
	// Limit is how many agents run at once; more wait for their turn.
	Limit int
	// Gateway reports whether agents may start agents with tools of ctxfs serve.
	Gateway bool
	// wrong has why a kind that is configured cannot be used, by its name, and with the
	// name "" why none can: an agent of that name is not what its user means then.
	wrong map[string]error
}

// Kind is a kind of subagent: an agent with defaults, or a command that is one.
type Kind struct {
	// Agent is the agent's id. Command is a program instead, with its arguments:
	// "{prompt}" in them stands for the prompt, which is the last argument without it.
	Agent   string
	Command []string
	// Args are added to those of the agent.
	Args []string
	// State are the files and folders that a Command writes for itself, also when it is
	// read-only; they may begin with "~/". What agents write is known.
	State []string
	// Prompt goes before the request's.
	Prompt             string
	ReadOnly, Worktree bool
	Timeout            time.Duration
}

// kindTable is a kind as it is written.
type kindTable struct {
	Agent    string   `toml:"agent"`
	Command  []string `toml:"command"`
	Args     []string `toml:"args"`
	State    []string `toml:"state"`
	Prompt   string   `toml:"prompt"`
	ReadOnly bool     `toml:"read_only"`
	Worktree bool     `toml:"worktree"`
	Timeout  string   `toml:"timeout"`
}

// ReadSettings reads the table [agents] of the config.toml at path. A setting with a
// problem keeps its default; a kind with one is left out, so that no agent is started with
// less than its user meant. Known returns the error of an agent that cannot be started, by
// the name that a kind has for it.
func ReadSettings(path string, known func(agent string) error) (Settings, []fs.Problem) {
	s := Settings{Kinds: make(map[string]Kind), Limit: DefaultLimit, wrong: make(map[string]error)}
	var problems []fs.Problem
	bad := func(what string) {
		problems = append(problems, fs.Problem{What: what, Mend: "correct " + path + "; it is read again at once"})
	}
	f, err := settings.Load(path)
	if err != nil {
		s.wrong[""] = fmt.Errorf("%w; no agent is started until it is corrected", err)
		return s, nil // the mcp provider reports it
	}
	var all map[string]any
	if err := f.Decode(&all, Table); err != nil {
		bad(err.Error())
		s.wrong[""] = err
		return s, problems
	}
	inOrder := func(a, b string) int { return cmp.Or(f.Line(Table, a)-f.Line(Table, b), cmp.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(all), inOrder) {
		switch value := all[name].(type) {
		case map[string]any:
			kind, faults := readKind(f, name, known)
			for _, fault := range faults {
				bad(fault.Error())
			}
			if len(faults) > 0 {
				s.wrong[name] = faults[0]
				continue
			}
			s.Kinds[name] = kind
			continue
		case int64:
			if name == "limit" && value >= 1 {
				s.Limit = int(value)
				continue
			}
		case bool:
			if name == "gateway" {
				s.Gateway = value
				continue
			}
		}
		bad(fmt.Sprintf("%s:%d: %s", path, f.Line(Table, name), wrongSetting(name, all[name])))
	}
	return s, problems
}

// wrongSetting says what is wrong with a setting that is no table.
func wrongSetting(name string, value any) string {
	const help = `limit is a number of at least 1, gateway true or false, and a table is a kind of subagent`
	known := []string{"limit", "gateway"}
	if slices.Contains(known, name) {
		return fmt.Sprintf("[agents] has %s = %#v; %s", name, value, help)
	}
	if near := nearest.Of(name, known); near != "" {
		return fmt.Sprintf("[agents] has no setting %q; did you mean %q?", name, near)
	}
	return fmt.Sprintf("[agents] has no setting %q; %s", name, help)
}

// readKind reads a kind, and returns everything that is wrong with it.
func readKind(f *settings.File, name string, known func(agent string) error) (k Kind, faults []error) {
	var t kindTable
	if err := f.Decode(&t, Table, name); err != nil {
		return k, []error{err}
	}
	wrong := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s:%d: [agents.%s] %s", f.Path(), f.Line(Table, name), name, fmt.Sprintf(format, args...)))
	}
	if (t.Agent == "") == (len(t.Command) == 0) {
		wrong(`needs either agent = "…" or command = ["…"]`)
	}
	if t.Agent != "" {
		if err := known(t.Agent); err != nil {
			wrong("has the agent %q: %v", t.Agent, err)
		}
	}
	if t.Agent != "" && len(t.State) > 0 {
		wrong("has state, which is for a command; what agents write is known")
	}
	for _, path := range t.State {
		if rest, ok := strings.CutPrefix(path, "~/"); !filepath.IsAbs(path) && (!ok || rest == "") {
			wrong("has %q in state; its paths begin with / or ~/", path)
		}
	}
	if t.Timeout != "" {
		var err error
		if k.Timeout, err = time.ParseDuration(t.Timeout); err != nil || k.Timeout <= 0 {
			wrong(`has the timeout %q; it is a time such as "90s" or "10m"`, t.Timeout)
		}
	}
	k.Agent, k.Command, k.Args, k.State = t.Agent, t.Command, t.Args, t.State
	k.Prompt, k.ReadOnly, k.Worktree = t.Prompt, t.ReadOnly, t.Worktree
	return k, faults
}

// Alias has another name stand for a kind too, unless that is a kind of its own.
func (s Settings) Alias(name, other string) {
	if k, ok := s.Kinds[name]; ok {
		if _, taken := s.Kinds[other]; !taken && s.wrong[other] == nil {
			s.Kinds[other] = k
		}
	}
	if err := s.wrong[name]; err != nil {
		s.wrong[other] = cmp.Or(s.wrong[other], err)
	}
}

// WrongError is the error of a kind whose table in the configuration has a fault: to start
// the agent of that name instead would be less than its user meant.
type WrongError struct{ Err error }

func (e *WrongError) Error() string { return e.Err.Error() }

// Resolve returns a request with the defaults of its kind, and the kind; that of an agent
// which is named itself is only its name. What a kind says of being read-only cannot be
// taken back.
func (s Settings) Resolve(r Request) (Request, Kind, error) {
	if r.Agent == "" {
		hint := "name one, such as claude or codex"
		if len(s.Kinds) > 0 {
			hint += ", or one of " + strings.Join(slices.Sorted(maps.Keys(s.Kinds)), ", ")
		}
		return r, Kind{}, errors.New("no agent is named: " + hint)
	}
	if err := cmp.Or(s.wrong[""], s.wrong[r.Agent]); err != nil {
		return r, Kind{}, &WrongError{err}
	}
	k, ok := s.Kinds[r.Agent]
	if !ok {
		return r, Kind{Agent: r.Agent}, nil
	}
	if k.Prompt != "" {
		r.Prompt = k.Prompt + "\n\n" + r.Prompt
	}
	r.ReadOnly, r.Worktree = r.ReadOnly || k.ReadOnly, r.Worktree || k.Worktree
	r.TimeoutMS = cmp.Or(r.TimeoutMS, k.Timeout.Milliseconds())
	return r, k, nil
}

// Nearest returns the kind whose name was probably meant, or "".
func (s Settings) Nearest(name string) string {
	return nearest.Of(name, slices.Collect(maps.Keys(s.Kinds)))
}
