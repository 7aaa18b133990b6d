// Package sandbox keeps an agent from writing: everything may be read, and only what a
// [Rules] names may be written. [Start] starts a program so, by way of this one: the
// command agent-enter ([Enter]) closes the sandbox over itself and becomes the program.
// The process that was started is the agent's, with its terminal and its exit code.
//
// The kernel has two ways, which are tried in this order:
//
//   - A mount namespace in which all mounts are read-only, in a user namespace of its
//     own, as bubblewrap makes it: neither contents and names of files nor their modes,
//     owners, times and attributes can be changed. Sockets through which other programs
//     do what they are told are hidden, all of the user's among them (see doors). The
//     agent's own sandbox works in it; root's bubblewrap needs --unshare-user.
//   - Landlock, where the system forbids such namespaces, as in most containers: contents
//     and names cannot be changed, but modes, times and extended attributes can, and
//     sockets are reachable. Mounts are refused, so an agent's own sandbox may fail.
//
// In both no signal reaches a process outside (Landlock, since Linux 6.12), no process
// is traced or gets other limits, no set-user-ID program gives rights, and of the rights
// of root only those to read what belongs to others are left.
//
// What stays possible: to connect to anything by network, to sockets elsewhere, to those of
// programs that are started later, and to those of ctxfs, which answers a read-only run
// accordingly; to write to a FIFO or a device that its user may write to, other than a disk.
package sandbox

import (
	"slices"
	"strings"
)

// Rules say what may be written.
type Rules struct {
	// Dir is what the agent works on. It is not writable, whatever Write names, except for
	// what is strictly inside of it, as an agent's state is in a home folder.
	Dir string `json:"dir"`
	// Write are folders that may be written to with all that is in them, and files that may
	// be written in place: to replace a file needs its folder. A folder that does not exist
	// is created; a path with an extension is treated as a file, and left alone.
	Write []string `json:"write"`
	// Keep are files and folders in those of Write that stay as they are, if they are there:
	// in a mount namespace nothing can be put in their place either. Landlock cannot leave
	// anything out of a folder: there they are only not writable if Write names them alone.
	Keep []string `json:"keep,omitempty"`
	// Reach are folders in which all sockets stay reachable.
	Reach []string `json:"reach,omitempty"`
	// Outside names the mount namespace that the agent must not be in; Start knows it.
	Outside string `json:"outside,omitempty"`
}

// Report says what came of closing the sandbox.
type Report struct {
	// Enforced reports whether the kernel refuses to write.
	Enforced bool `json:"enforced"`
	// Kept reports whether what Rules.Keep names stays as it is.
	Kept bool `json:"kept,omitempty"`
	// Notes say what is not as good as it could be, a line each.
	Notes []string `json:"notes,omitempty"`
	// Failed says why the program was not started.
	Failed string `json:"failed,omitempty"`
}

// doorVariables name sockets of programs that do what they are told.
func doorVariables() []string {
	return []string{
		"TMUX", "TMUX_PANE", "STY", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DOCKER_HOST", "CONTAINER_HOST",
		"NVIM", "VSCODE_IPC_HOOK_CLI", "KITTY_LISTEN_ON", "WEZTERM_UNIX_SOCKET", "ZELLIJ", "I3SOCK", "SWAYSOCK",
	}
}

// Environ returns an environment for the sandbox: temporary files go to scratch, and what
// names programs that would write for the agent is left out.
func Environ(environ []string, scratch string) []string {
	doors := doorVariables()
	out := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "TMPDIR" || slices.Contains(doors, name)
	})
	return append(out, "TMPDIR="+scratch)
}
