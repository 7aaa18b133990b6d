package clients

import (
	"path/filepath"
	"time"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// opencode is opencode, in which the command is an array with its arguments.
// Of the files in one folder the later ones of its own order win.
//
// Source of the format: opencode.ai/docs/mcp-servers.
func opencode() client {
	return client{
		name: "opencode",
		files: func(s surroundings) []place {
			var paths []string
			if dir, ok := s.lookup("OPENCODE_CONFIG_DIR"); ok && filepath.IsAbs(dir) {
				paths = append(paths, filepath.Join(dir, "opencode.jsonc"), filepath.Join(dir, "opencode.json"))
			}
			if file, ok := s.lookup("OPENCODE_CONFIG"); ok && filepath.IsAbs(file) {
				paths = append(paths, file)
			}
			return userFiles(append(paths, s.config("opencode", "opencode.jsonc"), s.config("opencode", "opencode.json"), s.config("opencode", "config.json"))...)
		},
		project: []string{".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"},
		layers:  true,
		parse:   jsonc.Parse,
		find:    below("mcp"),
		dialect: opencodeDialect,
		entry: func(k *keys, d *entry, x *expander) {
			d.partial = !k.has("type") && !k.has("command") && !k.has("url")
			if command := x.texts("command", k.texts("command")); len(command) > 0 {
				d.Command, d.Args = command[0], command[1:]
			}
			d.Env = x.table("env", k.table("environment"))
			d.Dir = x.text("cwd", k.text("cwd"))
			k.remote(d, x, "url", "headers")
			k.opencodeLogin(d, x)
			k.enabled(d, "enabled")
			if v, _ := k.value.Get("timeout"); v.Kind != syntax.Object {
				d.StartTimeout = k.duration("timeout", time.Millisecond)
			}
			if !d.partial {
				k.choose(d, k.text("type"))
			}
		},
	}
}
