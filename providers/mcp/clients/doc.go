// Package clients reads the configuration files of the programs that start MCP
// servers, and determines which servers they configure together.
//
// Each client keeps its servers in files of its own, in a dialect of its own. Their
// places, their syntax, and the key that holds the servers are in its description
// (package agents); the meaning of an entry's keys and the form of variables are
// here: claude.go, codex.go, programs.go for the other programs of the terminal,
// editors.go. A new client is a function in one of them, a line in clients
// (client.go), and a case in testdata/mcp/config. The path of an entry:
//
//  1. [Finder.Discover] reads the file of every client, the user's first, then
//     those of the projects that it has learned of (discover.go, file.go).
//  2. The client's reader takes the entry's keys (keys.go, login.go) and
//     expands its variables (expand.go, dialects.go); what a file says is an [Entry].
//  3. Entries that another file of the same client hides are left out; ctxfs's
//     own entries replace, disable, or change others of their name; and one
//     server in several files becomes one (merge.go, own.go,
//     overrides.go).
//  4. The entry is resolved into a [config.Server]: folder, secrets, the fault that
//     keeps it from being started (entry.go), and which calls share a process of it
//     (sharing.go, known.go). For a project it is expanded again, when it is run there.
//
// A fault stays local: an invalid entry is a server with a [config.Fault]; a file
// that cannot be read keeps the servers that it configured when it was last valid,
// or in an earlier run.
//
// Files in the folder of a project are written by the authors of the project. Their
// servers are found, but not trusted until the user approves them
// ([Finder.Approve]); the approval holds for the entries as they were written
// then (approvals.go).
//
// The source of each format is cited with its description.
package clients
