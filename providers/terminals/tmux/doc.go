// Package tmux records the panes of running tmux servers, without disturbing
// them.
//
// # How
//
// A server is spoken to in control mode (tmux(1), CONTROL MODE), by clients that
// attach read-only and with ignore-size: they change no size, need no pipe-pane
// (of which a pane has but one, that may be the user's) and, by -E, leave the
// environment of the sessions alone. tmux sends such a client the output of the
// windows of its own session only, so there is one client for each session that
// has a window which no other has: one for a server with one session. In tmux's
// lists such a session counts as attached. A session whose destroy-unattached
// is set is left alone, as tmux would destroy it when we leave.
//
// What panes there are is asked, by one short tmux list-panes, whenever a server
// says that its windows, sessions or sizes have changed; of new servers the
// folder of their sockets tells.
//
// # The text
//
// A pane is a terminal of package record, named session-window-pane. What tmux
// still holds of it is recorded first, once, and then what its programs print,
// byte by byte, so that the marks of a shell's integration count. Both are
// asked for on one connection, which puts them in an order in which nothing is
// missing and nothing comes twice.
//
// A terminal ends with its pane, or when the recording is closed. A recording
// that begins again, after the background process was ended or killed, continues
// the terminal of a pane whose server, number and process are the same: it finds
// the last lines of the log in what tmux holds and goes on after them. Until the
// screen is next cleared, screen.txt then shows only what is new.
//
// tmux drops what we are late to take by more than [pauseAfter] rather than
// keep it. It tells so; what it still holds is then taken from its history in the
// same way. Wherever that cannot be done with certainty the log has the line
// [Gap]. What a program printed in the very last moment before its pane was
// closed may be dropped by tmux without a word.
//
// # Versions
//
// tmux 3.2 and later. 3.0 and 3.1 are recorded too, but cannot tell that they
// drop output and when a pane gets another process. Older ones are left alone,
// and [Adopter.Problems] says so.
package tmux
