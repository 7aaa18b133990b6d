// Package mcp shows the MCP servers that a user has configured as folders:
// mcps/<server>/tools/<tool>.json and what belongs to them.
//
// # Where servers come from
//
// Each agent keeps its servers in a file of its own, in a dialect of its own.
// An agent (agent_cursor.go and so on) knows one of them and gives back
// definitions; discovery puts those of all agents together. A fault stays
// where it is: an entry that is wrong is a server in state "error", a file
// that cannot be read leaves the servers that were known from it.
//
// # A server's life
//
// Each server is one goroutine, which alone starts it, asks for its lists,
// waits for its end and tries again. Nobody waits for it: its folder is made
// of the catalogue of the last time, kept in the cache folder, and is replaced
// when the server has answered. What is asked of a server are its lists and
// nothing else; no tool is called, no resource is read.
//
// # What is kept of a definition
//
// Definitions are taken as raw JSON, so that nothing of them is lost to the
// types of a library. In memory there is only the text that is shown; the raw
// catalogue is in the cache file.
package mcp
