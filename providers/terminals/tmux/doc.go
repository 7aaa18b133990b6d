// Package tmux records the panes of running tmux servers, without disturbing
// them.
//
// # How
//
// It talks to a server in control mode (tmux(1), CONTROL MODE), by clients that
// attach read-only and with ignore-size: they change no size, need no pipe-pane
// (a pane has only one, which may be the user's) and, by -E, leave the
// environment of the sessions alone. tmux sends such a client the output of the
// windows of its own session only, so there is one client for each session that
// has a window which no other has: one for a server with one session. In tmux's
// lists such a session counts as attached. A session whose destroy-unattached
// is set is left alone, as tmux would destroy it when the client leaves.
//
// One short tmux list-panes returns the panes, whenever a server reports that
// its windows, sessions or sizes have changed; the folder of their sockets
// shows new servers.
//
// # The text
//
// A pane is a terminal of package record, named session-window-pane. What tmux
// still holds of it is recorded first, once, and then what its programs print,
// byte by byte, so that the marks of a shell integration count. Both come over
// one connection, which puts them in an order in which nothing is missing and
// nothing comes twice.
//
// A terminal ends with its pane, or when the recording is closed. One that begins
// again, after the background process exited or when the pane has moved to another
// session, is another terminal, with all that tmux holds.
//
// If a client is more than [pauseAfter] behind, tmux drops the output rather
// than keep it, and says so; then the log has the line [Gap]. tmux may silently
// drop what a program printed in the very last moment before its pane was closed.
//
// tmux 3.2 and later is recorded; older ones are left alone, and [Adopter.Problems]
// says so.
//
// # Order
//
// [Adopter] (adopt.go) has a server (server.go) for each socket; a server lists
// its panes (listing.go) and has the clients (client.go, protocol.go), each of which
// records its panes (pane.go).
package tmux
