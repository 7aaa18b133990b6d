// Package holder runs a shell or a command in a terminal of its own that is
// recorded, and lets people look at it and type into it.
//
// # The holder
//
// ctxfs term starts a process, the holder, in a session of its own. It owns the
// master side of a pseudo-terminal, the shell on the other side, the recording
// ([record.Recorder]) and a socket that is open to its user only. It outlives
// the window that it was started from, the mount, and whoever looks at it, and
// ends when its shell has ended and all output is recorded.
//
// # Viewers
//
// Who looks at it hands it the terminal to be used, by the socket: a descriptor
// of its own on the same device. From then on the holder reads keys from that
// terminal and writes output to it, with nothing between; the process that
// handed it over only waits, tells of changes of size, and puts the terminal
// back as it was. The holder does so too, when that process is killed.
//
// Several may look at the same time: all see the same, all may type, and the
// terminal has the size of the smallest. Output goes to the viewers first, then
// to the recording, both before more is read: so the recording is never behind
// what was seen, and a program cannot run away from it. A viewer that takes
// nothing for three seconds gets no more; when it takes something again, the
// screen is drawn anew.
//
// Keys are never recorded.
//
// # The end
//
// When the shell has ended, what it has written is read to its end, and the
// pseudo-terminal closed: what still runs in it in the background gets a hang-up
// as in any terminal that is closed. A holder that is told to end (SIGTERM,
// SIGHUP) closes the terminal likewise. One that is killed leaves the files as
// they are. The window that the terminal was opened in has its other side too and
// goes on with it, unrecorded; where that is closed or detached, the terminal ends.
//
// [Run] does the same for one command in the process that calls it, also where
// there is no terminal.
//
// Nothing keeps a program from running: where it cannot be recorded, Start and Run
// return [Unrecorded] and have started nothing, and [Spec.Exec] becomes the program
// itself. A recording that fails later fails alone.
package holder
