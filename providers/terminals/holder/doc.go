// Package holder runs a shell or a command in a terminal of its own that is
// recorded, and lets people view it and type into it.
//
// # The holder
//
// ctxfs term starts a process, the holder, in a session of its own. It owns the
// master side of a pseudo-terminal, the shell on the other side, the recording
// ([record.Recorder]) and a socket that only its user can open. It outlives the
// window that it was started from, the mount, and all viewers, and exits when
// its shell has exited and all output is recorded.
//
// # Viewers
//
// A viewer sends the holder the terminal to use, over the socket: a descriptor of
// its own on the same device. From then on the holder reads keys from that terminal
// and writes output to it directly; the viewer's process only waits, reports
// changes of size, and restores the terminal at the end. If that process is killed,
// the holder restores it.
//
// Several viewers may be attached at once: all see the same, all may type, and the
// terminal has the size of the smallest. Output goes to the viewers first, then to
// the recording, both before more is read: so the recording is never behind what
// was seen, and no program can outrun it. A viewer that reads nothing for three
// seconds gets no more; when it reads again, the screen is redrawn.
//
// Keys are never recorded.
//
// A viewer inside a read-only run of an agent sees all, but what it types goes nowhere but
// to the key that detaches, and its size does not count: package confined tells.
//
// # The end
//
// When the shell has exited, its remaining output is read to the end, and the
// pseudo-terminal is closed: background programs in it get a hang-up as in any
// terminal that is closed. A holder that is told to end (SIGTERM, SIGHUP) closes
// the terminal, too. One that is killed leaves the files as they are, and its
// terminal ends as one that is closed.
//
// [Run] does the same for one command in the calling process, also where there
// is no terminal.
//
// Nothing keeps a program from running: if it cannot be recorded, Start and Run
// return [Unrecorded] and have started nothing, and [Spec.Exec] becomes the
// program itself. A recording that fails later fails alone.
//
// # Order
//
// spec.go says what to start, [Start] and hold.go start a holder, session.go is the
// program and viewer.go its viewers, settle.go keeps the recording up to date, message.go is the protocol of viewers
// and holders, view.go the side of the viewer, send.go types without one, run.go and pipes.go are [Run], unrecorded.go what
// happens without a recording.
package holder
