package nearest

import (
	"testing"

	"ctxfs/fs/fstest"
)

func TestOf(t *testing.T) {
	known := []string{"command", "args", "env", "start_timeout"}
	for in, want := range map[string]string{
		"comand": "command", "Command": "command", "agrs": "args", "envs": "env",
		"starttimeout": "start_timeout", "completely": "", "": "", "cmd": "", "cmnd": "command", "nev": "env", "arc": "", "x": "",
	} {
		fstest.Equal(t, Of(in, known), want, "Of", in)
	}
}

// TestOfCommands: what is named is what was meant.
func TestOfCommands(t *testing.T) {
	known := []string{"accept", "attach", "auth", "call", "cat", "config", "doctor", "find", "help", "ls", "mount", "ps", "run", "status", "sync", "term", "unmount"}
	for in, want := range map[string]string{
		"mnt": "mount", "mouunt": "mount", "mount2": "mount", "umount": "unmount", "stauts": "status", "stat": "status", "hlep": "help", "catt": "cat",
		"cfg": "config", "doc": "doctor", "conf": "config", "rnu": "run", "dog": "", "st": "", "xyzzy": "", "mcp": "", "unm": "",
	} {
		fstest.Equal(t, Of(in, known), want, "Of", in)
	}
}
