package providers

import (
	"context"

	"ctxfs/providers/mcp"
)

// ReadResource asks an MCP server, by its name or its folder's, for a resource,
// by its URI or the name of its file. The server is started if need be.
func (s *Set) ReadResource(ctx context.Context, server, uri string) (*mcp.Reading, error) {
	return s.mcp.ReadResource(ctx, server, uri)
}

// KeepResource is ReadResource for a resource that is to be a file in the tree
// from then on, and kept current.
func (s *Set) KeepResource(ctx context.Context, server, uri string) (*mcp.Reading, error) {
	return s.mcp.KeepResource(ctx, server, uri)
}

// ForgetResource takes that file away.
func (s *Set) ForgetResource(server, uri string) error { return s.mcp.ForgetResource(server, uri) }

// GetPrompt asks an MCP server, by its name or its folder's, for a prompt. The
// server is started if need be.
func (s *Set) GetPrompt(ctx context.Context, server, prompt string, args map[string]string) (*mcp.Reading, error) {
	return s.mcp.GetPrompt(ctx, server, prompt, args)
}
