// Package mcp shows the MCP servers that a user has configured as folders:
// mcps/<server>/tools/<tool>.json and what belongs to them.
//
// # Where servers come from
//
// Package clients reads the configuration files of all programs that start MCP
// servers. A fault stays where it is: an entry that is wrong is a server in state
// "error", a file that cannot be read leaves the servers that were known from it.
//
// Servers of the files in a project's folder are shown and not started until the
// user has said that they may be (Trust), and that holds for the entries as they
// were written then.
//
// # A server's life
//
// Each server is one goroutine, which alone starts it, asks for its lists,
// waits for its end and tries again. Nobody waits for it: its folder is made
// of the catalogue of the last time, kept in the cache folder, and is replaced
// when the server has answered. What is asked of a server are its lists and
// nothing else; no tool is called, and no resource is read but those that a user
// has asked for, and for those kept (KeepResource) whenever they change.
//
// # Logins
//
// A server over HTTP whose entry does not say who asks is sent the login of
// its user, if there is one (package oauth), which renews itself. A server
// never makes anybody log in: it is in state "needs-auth", and stays so until
// the user has run Login, wherever that is, and restarted it.
//
// # What is kept of a definition
//
// The definition of a tool is pinned as it was first shown, in the state
// folder. When the server changes it, the difference stands beside it until the
// user accepts it (Accept).
//
// Definitions are taken as raw JSON, so that nothing of them is lost to the
// types of a library. In memory there is only the text that is shown; the raw
// catalogue is in the cache file.
package mcp
