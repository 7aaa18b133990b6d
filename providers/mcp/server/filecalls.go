package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/policy"
)

const (
	callsName = "calls"
	// callSuffix is the suffix of the name of a file that is a call, and
	// confirmedSuffix that of a confirmed one.
	callSuffix      = ".json"
	confirmedSuffix = ".yes" + callSuffix
)

// publishPrograms updates the folders that serve to call tools, and returns the
// names of those that changed.
func (s *Server) publishPrograms(now time.Time) (changed []string) {
	if s.bin.publish(s.o, s.dir, s.file, s.shown, now) {
		changed = append(changed, binName)
	}
	if s.publishCalls(now) {
		changed = append(changed, callsName)
	}
	return changed
}

// publishCalls adds the folder calls where the configuration allows it, and removes
// it, with the calls under way, when it no longer does. It reports whether anything
// changed.
func (s *Server) publishCalls(now time.Time) bool {
	allowed := s.o.FileCalls()
	if s.def.FileCalls != nil {
		allowed = *s.def.FileCalls
	}
	allowed = allowed && !s.o.Offline && (s.def.Startable() || s.def.Fault != nil && s.def.Fault.WantsProject && !s.def.Disabled) && !s.ended
	switch {
	case allowed && s.calls == nil:
		s.calls = s.newCalls(now)
		s.dir.Set(now, callsName, s.calls)
	case !allowed && s.calls != nil:
		s.dir.Remove(now, callsName)
		calls := s.calls
		s.calls = nil
		s.o.Running.Go(func() { _ = calls.Close() }) // returns no error; waits for the calls under way
	default:
		return false
	}
	return true
}

func (s *Server) newCalls(now time.Time) *drop.Folder {
	return drop.New(drop.Options{
		Accept:    s.acceptCall,
		Extension: callSuffix,
		Confined:  true, // which tool it is decides
		Static:    map[string]fs.Node{"README.md": fs.NewText(now, []byte(callsText))},
		Now:       s.o.Env.Now,
		Changed: func(name string) {
			s.o.Env.Changed(s.Folder() + "/" + callsName + "/" + name)
		},
		// A call has limits of its own, which depend on the server and on the
		// progress that the tool reports.
		WorkTimeout: config.MaxTimeout,
	})
}

// acceptCall checks a call by a file, at once: it waits for nothing but the caller's
// folder, which tells its project.
func (s *Server) acceptCall(_ context.Context, name string, from fs.Standpoint, body []byte) (drop.Work, error) {
	tool, _, _ := strings.Cut(name, ".")
	c := calls.Call{
		Server: s.Folder(), Tool: tool, Arguments: json.RawMessage(body),
		Caller:    calls.Caller{Via: "file", Dir: from.Dir, PID: from.PID, Folders: from.Folders, Unknown: from.Unknown, Confined: from.Confined},
		Confirmed: strings.HasSuffix(name, confirmedSuffix),
	}
	call, note, err := s.o.FileCall(c)
	if err != nil {
		kind := fs.ErrInvalid
		if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
			kind = fs.ErrPermission
		}
		return nil, &refusedFile{callFault(err, name), kind}
	}
	return func(ctx context.Context) drop.Outcome {
		r, err := call(ctx)
		o := callOutcome(name, r, err)
		o.Note = cmp.Or(o.Note, note) // a failure may be that of the place
		return o
	}, nil
}

// refusedFile is the error of the write that completes a refused call.
type refusedFile struct {
	text string
	kind error
}

func (e *refusedFile) Error() string { return e.text }
func (e *refusedFile) Unwrap() error { return e.kind }

// callOutcome returns the content of the file beside a call.
func callOutcome(name string, r *calls.Result, err error) drop.Outcome {
	if err != nil {
		return drop.Outcome{Error: callFault(err, name)}
	}
	o := drop.Outcome{OK: !r.Failed, Text: string(r.Text), Structured: r.Structured, File: r.File, Misfit: r.Misfit, Note: r.Note, Error: r.Fault}
	if r.IsJSON && r.Structured != nil { // the text would repeat it
		o.Text = ""
	}
	if len(r.Aside) > 0 {
		o.Text = calls.Join(o.Text, string(r.Aside))
	}
	if r.Failed && o.Error == "" {
		o.Error = "the tool says that it failed"
	}
	return o
}

// callFault returns why a call was not made or has failed, and how to fix it.
func callFault(err error, name string) string {
	text := clean.Line(err.Error())
	var (
		args   *calls.ArgumentsError
		denied *policy.DeniedError
		use    *calls.UseError
	)
	switch {
	case errors.As(err, &args) && args.Part != nil:
		text += "\nschema: " + string(clean.JSON(args.Part))
	case errors.As(err, &denied):
		text += "; " + fixForFile(denied, name)
	case errors.As(err, &use) && use.Mend != "":
		text += "; " + use.Mend
	case errors.Is(err, context.Canceled):
		text = "the call was cancelled because ctxfs is stopping, or no longer allows calls by files"
	}
	return text
}

// fixForFile returns how to fix a call by a file that was denied.
func fixForFile(e *policy.DeniedError, name string) string {
	if e.Confirm {
		return "to confirm, write it again as " + strings.TrimSuffix(name, callSuffix) + confirmedSuffix
	}
	return e.Mend
}

// callsText is the README.md of the folder calls.
const callsText = `# Calls by files

A new file here calls a tool of this server: TOOL.ANYTHING.json, where TOOL is the
name of a file in ../tools without ".json", and its text is one JSON object, the arguments.

    echo '{"title": "x"}' > create_issue.1.json; cat create_issue.1.result

The call is made once, as soon as the object is complete. The outcome is in
TOOL.ANYTHING.result: ok, text, structured, file (of a long answer), misfit (it is
not what the tool's outputSchema promises), note (such as for which folder the call was
made, where yours is in no project), error. Reading that waits for the call.
Arguments that do not fit fail the write itself; the result says why.
A tool that requires confirmation is called as TOOL.ANYTHING.yes.json.
What the server asks meanwhile is in ../questions, with the command that answers.
`
