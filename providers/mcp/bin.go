package mcp

import (
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/catalogue"
)

const binName = "bin"

// publishBin shows the folder bin: for each tool a program of the name of its
// file, which calls it. The programs name ctxfs by its path, so that it need
// not be in PATH, take the one in PATH where that has moved, and say nothing of
// the tools: that stands in the folder
// tools. There is none where the path is not known, or nothing is known of the
// server. It tells whether something changed.
func (s *server) publishBin(now time.Time) bool {
	if s.p.opts.Program == "" || s.shown == nil {
		return false // what is known of a server is never forgotten
	}
	tools := &s.shown.Sections[catalogue.ToolFolder]
	if s.bin != nil && s.binOf.file == s.file && s.binOf.Section.Equal(*tools) {
		return false
	}
	nodes := make(map[string]fs.Node, len(tools.Items))
	for _, i := range tools.Items {
		nodes[i.File] = fs.NewScript(i.Since, s.script(i.File))
	}
	t := now
	if s.bin == nil {
		s.bin = new(fs.Folder)
		if !tools.Changed.IsZero() {
			t = tools.Changed
		}
		defer s.dir.Set(now, binName, s.bin)
	}
	s.bin.Replace(t, nodes)
	s.binOf.file, s.binOf.Section = s.file, *tools
	return true
}

// script is a program that calls a tool. It reaches the background process that
// shows it, whatever home its caller has.
func (s *server) script(tool string) []byte {
	out := "#!/bin/sh\n"
	for _, entry := range s.p.opts.ProgramEnv {
		name, value, _ := strings.Cut(entry, "=")
		out += "export " + name + "=" + wording.ShellWord(value) + "\n"
	}
	program := wording.ShellWord(s.p.opts.Program)
	out += "set -- call --via bin -- " + wording.ShellWord(s.file) + " " + wording.ShellWord(tool) + " \"$@\"\n"
	return []byte(out + "[ -x " + program + " ] && exec " + program + " \"$@\"\nexec ctxfs \"$@\"\n")
}
