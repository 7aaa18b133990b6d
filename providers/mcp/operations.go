package mcp

import (
	"context"
	"fmt"
	"io"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/mcp/logins"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/server"
	"ctxfs/providers/mcp/tasks"
)

// The operations of this provider. A server is named by its folder or by an entry
// of a configuration that makes it, see [Provider.Restart].
var (
	// OpTools lists the tools of a server; "" means all servers.
	OpTools = fs.Op[ToolQuery, []fleet.Toolbox]{Name: "tools", Effect: fs.Reads}
	// OpFlags lists the arguments of a tool, as far as the server is known.
	OpFlags = fs.Op[ToolQuery, []calls.Flag]{Name: "flags", Effect: fs.Reads}
	// OpRestart restarts a server; "" means all.
	OpRestart = fs.Op[RestartQuery, fs.None]{Name: "restart"}
	// OpConfiguration reports which servers are configured where, with the folder
	// that the question names as if it were a known project.
	OpConfiguration = fs.Op[FolderQuery, fleet.Report]{Name: "config", Effect: fs.Reads}
	// OpTrust allows the servers that the files of a project configure, or revokes
	// that.
	OpTrust = fs.Op[TrustQuery, fleet.Project]{Name: "trust"}
	// OpProjects lists the projects that configure servers or are trusted.
	OpProjects = fs.Op[fs.None, []fleet.Project]{Name: "projects", Effect: fs.Reads}
	// OpAccept pins definitions of tools as they are now.
	OpAccept = fs.Op[AcceptQuery, server.Accepted]{Name: "accept"}
	// OpLogins lists the logins of all servers that can have one.
	OpLogins = fs.Op[fs.None, []logins.Login]{Name: "logins", Effect: fs.Reads}
	// OpLogin lets the user log in to a server; what it sends meanwhile is for the
	// user. A running server uses the login after a restart.
	OpLogin = fs.Talk[RestartQuery, LoginNews, logins.Login]{Name: "login", Local: true}
	// OpLogout ends the login to a server.
	OpLogout = fs.Op[RestartQuery, LoggedOut]{Name: "logout", Slow: true, Local: true}
	// OpResource reads a resource of a server, and may keep it as a file. The
	// server is started if necessary.
	OpResource = fs.Op[ReadingQuery, *calls.Reading]{Name: "resource", Slow: true, Effect: fs.Depends}
	// OpPrompt reads a prompt of a server, which is started if necessary.
	OpPrompt = fs.Op[ReadingQuery, *calls.Reading]{Name: "prompt", Slow: true, Effect: fs.Reads}
	// OpQuestions lists the open questions of servers, the oldest first.
	OpQuestions = fs.Op[IDQuery, []questions.Question]{Name: "questions", Effect: fs.Reads}
	// OpTasks lists the calls that go on without their callers, and those that did
	// and have ended, the newest first.
	OpTasks = fs.Op[IDQuery, []tasks.Task]{Name: "tasks", Effect: fs.Reads}
	// OpAwaitTask waits for the end of a task, whatever its server asks meanwhile.
	OpAwaitTask = fs.Op[IDQuery, tasks.Task]{Name: "await-task", Slow: true, Effect: fs.Reads}
	// OpCancelTask cancels a task, at its server too, and waits for its end. One that
	// has ended stays as it is.
	OpCancelTask = fs.Op[IDQuery, tasks.Task]{Name: "cancel-task", Slow: true}
)

// IDQuery names a question or a task; "" means all of them where that makes sense. A
// question stands for the task of its call, and a task for its one open question.
type IDQuery struct {
	ID string `json:"id"`
}

// ToolQuery names a server, and perhaps one of its tools.
type ToolQuery struct {
	Server string `json:"server"`
	Tool   string `json:"tool,omitempty"`
}

// RestartQuery names a server.
type RestartQuery struct {
	Name string `json:"name"`
}

// FolderQuery names a folder on disk, or "".
type FolderQuery struct {
	Folder string `json:"folder"`
}

// TrustQuery names the folder of a project, and says whether to revoke the trust in
// its servers.
type TrustQuery struct {
	Folder string `json:"folder"`
	Revoke bool   `json:"revoke"`
}

// AcceptQuery names tools of a server; none stands for all.
type AcceptQuery struct {
	Server string   `json:"server"`
	Tools  []string `json:"tools"`
}

// LoginNews is a message to the user during a login: either is "".
type LoginNews struct {
	// Address is where to log in.
	Address string `json:"address,omitempty"`
	// Note is something that does not end the login.
	Note string `json:"note,omitempty"`
}

// LoggedOut is the end of a login.
type LoggedOut struct {
	// Was is the login that there was.
	Was logins.Login `json:"was"`
	// Untold says why the authorization server could not be informed of the logout;
	// "" if it was.
	Untold string `json:"untold,omitempty"`
}

// ReadingQuery names a resource or a prompt.
type ReadingQuery struct {
	Server string `json:"server"`
	// What is the URI of a resource, the name of a prompt, or that of a file of
	// either.
	What string `json:"what"`
	// Args are the arguments of a prompt.
	Args map[string]string `json:"args,omitempty"`
	// Keep makes the resource a file in the tree, and keeps it current; Forget
	// removes that file and reads nothing.
	Keep   bool `json:"keep,omitempty"`
	Forget bool `json:"forget,omitempty"`
}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{
		OpTools.Handle(func(_ context.Context, q ToolQuery) ([]fleet.Toolbox, error) { return p.Tools(q.Server) }),
		OpFlags.Handle(func(_ context.Context, q ToolQuery) ([]calls.Flag, error) {
			info, err := p.Tool(q.Server, q.Tool)
			if err != nil {
				return nil, err
			}
			return info.Schema.Flags(), nil
		}),
		OpRestart.Handle(func(_ context.Context, q RestartQuery) (fs.None, error) { return fs.None{}, p.Restart(q.Name) }),
		OpConfiguration.Handle(func(_ context.Context, q FolderQuery) (fleet.Report, error) { return p.Configuration(q.Folder), nil }),
		OpTrust.Handle(func(_ context.Context, q TrustQuery) (fleet.Project, error) {
			if q.Revoke {
				return p.Revoke(q.Folder)
			}
			return p.Trust(q.Folder)
		}),
		OpProjects.Handle(func(context.Context, fs.None) ([]fleet.Project, error) { return p.Projects(), nil }),
		OpAccept.Handle(func(_ context.Context, q AcceptQuery) (server.Accepted, error) { return p.Accept(q.Server, q.Tools...) }),
		OpLogins.Handle(func(context.Context, fs.None) ([]logins.Login, error) { return p.Logins(), nil }),
		OpLogin.Handle(p.answerLogin),
		OpLogout.Handle(func(ctx context.Context, q RestartQuery) (LoggedOut, error) {
			was, untold, err := p.Logout(ctx, q.Name)
			out := LoggedOut{Was: was}
			if untold != nil {
				out.Untold = untold.Error()
			}
			return out, err
		}),
		OpResource.Handle(p.answerResource),
		OpPrompt.Handle(func(ctx context.Context, q ReadingQuery) (*calls.Reading, error) {
			return p.GetPrompt(ctx, q.Server, q.What, q.Args)
		}),
		OpQuestions.Handle(func(_ context.Context, q IDQuery) ([]questions.Question, error) { return p.Questions(q.ID) }),
		OpTasks.Handle(func(_ context.Context, q IDQuery) ([]tasks.Task, error) { return p.Tasks(q.ID) }),
		OpAwaitTask.Handle(func(ctx context.Context, q IDQuery) (tasks.Task, error) { return p.AwaitTask(ctx, q.ID) }),
		OpCancelTask.Handle(func(ctx context.Context, q IDQuery) (tasks.Task, error) { return p.CancelTask(ctx, q.ID) }),
	}
}

func (p *Provider) answerLogin(ctx context.Context, q RestartQuery, tell func(LoginNews) error, reply func(logins.Login) (io.Writer, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	say := func(n LoginNews) {
		if err := tell(n); err != nil {
			cancel(err) // no user is there to log in
		}
	}
	login, err := p.Login(ctx, q.Name, oauth.Prompt{
		Show: func(address string) { say(LoginNews{Address: address}) },
		Note: func(text string) { say(LoginNews{Note: text}) },
	})
	if err != nil {
		return err
	}
	_, err = reply(login)
	return err
}

func (p *Provider) answerResource(ctx context.Context, q ReadingQuery) (*calls.Reading, error) {
	by := fs.ConfinedIn(ctx)
	switch {
	case by != nil && (q.Keep || q.Forget):
		return nil, by
	case q.Forget:
		return &calls.Reading{}, p.ForgetResource(q.Server, q.What)
	case q.Keep:
		return p.KeepResource(ctx, q.Server, q.What)
	}
	return p.ReadResource(ctx, q.Server, q.What)
}

// Inside implements fs.Itemized: the tools of each server.
func (p *Provider) Inside() map[string][]fs.Item {
	inside := make(map[string][]fs.Item)
	boxes, _ := p.Tools("") // there is no name to be wrong
	for _, box := range boxes {
		for _, t := range box.Tools {
			inside[box.Server] = append(inside[box.Server], fs.Item{Name: t.File, Count: -1, About: t.Summary})
		}
	}
	return inside
}

// Logins returns the logins of all servers that can have one, whether or not the
// user is logged in. It reads small files and sends nothing.
func (p *Provider) Logins() []logins.Login {
	all := []logins.Login{}
	for _, s := range p.All() {
		if l, can := p.logins.Known(s.Named); can {
			all = append(all, l)
		}
	}
	return all
}

// Login lets the user log in to a server, named as in Restart: see
// [logins.Logins.Login].
func (p *Provider) Login(ctx context.Context, name string, prompt oauth.Prompt) (logins.Login, error) {
	s, err := p.chooseForLogin(name)
	if err != nil {
		return logins.Login{}, err
	}
	return p.logins.Login(ctx, s.Named, prompt)
}

// Logout ends the login to a server: see [logins.Logins.Logout].
func (p *Provider) Logout(ctx context.Context, name string) (was logins.Login, untold, err error) {
	s, err := p.chooseForLogin(name)
	if err != nil {
		return was, nil, err
	}
	return p.logins.Logout(ctx, s.Named)
}

func (p *Provider) chooseForLogin(name string) (*server.Server, error) {
	chosen, err := p.Choose(name)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 1 {
		names := ""
		for _, s := range chosen {
			names += " " + s.Folder()
		}
		return nil, &logins.Error{What: fmt.Sprintf("several servers are called %q", clean.Line(name)), Mend: "name one of:" + names}
	}
	return chosen[0], nil
}
