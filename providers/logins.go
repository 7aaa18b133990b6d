package providers

import (
	"context"

	"ctxfs/providers/mcp"
)

// Logins are the logins of all MCP servers that can have one, there or not.
func (s *Set) Logins() []mcp.Login { return s.mcp.Logins() }

// Login has the user log in to an MCP server, by its name or its folder's. A
// server that runs has to be restarted to take notice.
func (s *Set) Login(ctx context.Context, server string, prompt mcp.LoginPrompt) (mcp.Login, error) {
	return s.mcp.Login(ctx, server, prompt)
}

// Logout ends the login to an MCP server. It gives the login that there was,
// and why the authorization server does not know of its end.
func (s *Set) Logout(ctx context.Context, server string) (was mcp.Login, untold, err error) {
	return s.mcp.Logout(ctx, server)
}
