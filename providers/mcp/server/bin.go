package server

import (
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/catalogue"
)

const binName = "bin"

// bin is the folder bin, which has a program for each tool, with the name of its
// file, that calls it. The programs name ctxfs by its path, so that it need not be in
// PATH, fall back to the one in PATH where it has moved, and say nothing about the
// tools, which the folder tools does.
type bin struct {
	folder *fs.Folder // nil until it is shown
	server string     // the name of the folder of the server, as the programs have it
	tools  catalogue.Section
}

// publish updates the folder in that of its server, and reports whether anything
// changed. It does not exist if the path of ctxfs, or the tools, are not known.
func (b *bin) publish(o *Options, in *fs.Folder, server string, shown *catalogue.Snapshot, now time.Time) bool {
	if o.Program == "" || shown == nil {
		return false // tools that are known never become unknown
	}
	tools := &shown.Sections[catalogue.ToolFolder]
	if b.folder != nil && b.server == server && b.tools.Equal(*tools) {
		return false
	}
	nodes := make(map[string]fs.Node, len(tools.Items))
	for _, i := range tools.Items {
		nodes[i.File] = fs.NewScript(i.Since, script(o, server, i.File))
	}
	t := now
	if b.folder == nil {
		b.folder = new(fs.Folder)
		if !tools.Changed.IsZero() {
			t = tools.Changed
		}
		defer in.Set(now, binName, b.folder)
	}
	b.folder.Replace(t, nodes)
	b.server, b.tools = server, *tools
	return true
}

// script returns a program that calls a tool. It reaches the background process
// that shows it, whatever home folder its caller has.
func script(o *Options, server, tool string) []byte {
	out := "#!/bin/sh\n"
	for _, entry := range o.ProgramEnv {
		name, value, _ := strings.Cut(entry, "=")
		out += "export " + name + "=" + wording.ShellWord(value) + "\n"
	}
	program := wording.ShellWord(o.Program)
	out += "set -- call --via bin -- " + wording.ShellWord(server) + " " + wording.ShellWord(tool) + " \"$@\"\n"
	return []byte(out + "[ -x " + program + " ] && exec " + program + " \"$@\"\nexec ctxfs \"$@\"\n")
}
