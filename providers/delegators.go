package providers

import (
	"context"
	"errors"

	"ctxfs/providers/mcp"
	"ctxfs/providers/terminals"
	"ctxfs/providers/transcripts"
)

func (l *List) mcp() *mcp.Provider { return of[*mcp.Provider](l.all)[0] }

// Restart starts an MCP server again, by its name or its folder's; "" means
// all.
func (l *List) Restart(server string) error { return l.mcp().Restart(server) }

// Tools lists the tools of an MCP server, named as for Restart; "" means all.
func (l *List) Tools(server string) ([]mcp.Toolbox, error) { return l.mcp().Tools(server) }

// Flags are the arguments of a tool, as far as the server is known.
func (l *List) Flags(server, tool string) ([]mcp.Flag, error) {
	info, err := l.mcp().Tool(server, tool)
	if err != nil {
		return nil, err
	}
	return info.Schema.Flags(), nil
}

// IsServer tells whether an MCP server has that name.
func (l *List) IsServer(name string) bool {
	_, err := l.mcp().Tools(name)
	return err == nil
}

// Tool tells of a tool. A server of which nothing is known is started for it,
// and waited for in that way.
func (l *List) Tool(ctx context.Context, server, tool string, w mcp.Waiting) (mcp.ToolInfo, error) {
	info, err := l.mcp().Tool(server, tool)
	if use := (*mcp.UseError)(nil); !errors.As(err, &use) {
		return info, err
	}
	session, err := l.mcp().Use(ctx, server, w)
	if err != nil {
		return mcp.ToolInfo{}, err
	}
	defer session.Release()
	return l.mcp().Tool(server, tool)
}

// Call calls a tool.
func (l *List) Call(ctx context.Context, c mcp.Call) (*mcp.Result, error) {
	return l.mcp().Call(ctx, c)
}

// Configuration tells what is configured for MCP servers where, what counts
// and why; folder is looked at as if it were a known project.
func (l *List) Configuration(folder string) mcp.Report { return l.mcp().Configuration(folder) }

// Trust allows the MCP servers that the files of a project configure.
func (l *List) Trust(folder string) (mcp.Project, error) { return l.mcp().Trust(folder) }

// Revoke takes back what Trust allowed.
func (l *List) Revoke(folder string) (mcp.Project, error) { return l.mcp().Revoke(folder) }

// Accept pins the definitions of an MCP server's tools as they are shown now,
// all of them or those named.
func (l *List) Accept(server string, tools ...string) (mcp.Accepted, error) {
	return l.mcp().Accept(server, tools...)
}

// Projects are those that configure MCP servers or are trusted.
func (l *List) Projects() []mcp.Project { return l.mcp().Projects() }

// AdoptTmux records the panes of tmux servers.
func (l *List) AdoptTmux(ctx context.Context, socket string) (terminals.Adopted, error) {
	return of[*terminals.Provider](l.all)[0].AdoptTmux(ctx, socket)
}

// Logins are the logins of all MCP servers that can have one, there or not.
func (l *List) Logins() []mcp.Login { return l.mcp().Logins() }

// Login has the user log in to an MCP server, by its name or its folder's. A
// server that runs has to be restarted to take notice.
func (l *List) Login(ctx context.Context, server string, prompt mcp.LoginPrompt) (mcp.Login, error) {
	return l.mcp().Login(ctx, server, prompt)
}

// Logout ends the login to an MCP server. It gives the login that there was,
// and why the authorization server does not know of its end.
func (l *List) Logout(ctx context.Context, server string) (was mcp.Login, untold, err error) {
	return l.mcp().Logout(ctx, server)
}

// ReadResource asks an MCP server, by its name or its folder's, for a resource,
// by its URI or the name of its file. The server is started if need be.
func (l *List) ReadResource(ctx context.Context, server, uri string) (*mcp.Reading, error) {
	return l.mcp().ReadResource(ctx, server, uri)
}

// KeepResource is ReadResource for a resource that is to be a file in the tree
// from then on, and kept current.
func (l *List) KeepResource(ctx context.Context, server, uri string) (*mcp.Reading, error) {
	return l.mcp().KeepResource(ctx, server, uri)
}

// ForgetResource takes that file away.
func (l *List) ForgetResource(server, uri string) error { return l.mcp().ForgetResource(server, uri) }

// GetPrompt asks an MCP server, by its name or its folder's, for a prompt. The
// server is started if need be.
func (l *List) GetPrompt(ctx context.Context, server, prompt string, args map[string]string) (*mcp.Reading, error) {
	return l.mcp().GetPrompt(ctx, server, prompt, args)
}

// Session finds a session of an agent. The error may be a
// [*transcripts.UnclearError].
func (l *List) Session(ctx context.Context, w transcripts.Wanted) (transcripts.Known, error) {
	return of[*transcripts.Provider](l.all)[0].Session(ctx, w)
}

// Sessions lists the sessions of all agents, the newest first; those that began
// at or below a folder, if it is given, in any of its names.
func (l *List) Sessions(ctx context.Context, below []string) ([]transcripts.Known, error) {
	return of[*transcripts.Provider](l.all)[0].Sessions(ctx, below)
}
