package clients

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// cursor is Cursor. It ignores "type": an entry with a command is a process, one
// with a url an HTTP server. Which servers are switched on is not in the file.
func cursor() client {
	return client{
		agent: agents.ByID("cursor"), dialect: editorDialect,
		readEntry: func(k *keys, d *Entry, x *expander) {
			k.common(d, x)
			k.cursorLogin(d, x)
			d.choose("")
			if d.Transport == config.Stdio {
				k.envFile(d, x)
			}
		},
	}
}

// vscode is VS Code.
func vscode() client {
	return client{agent: agents.ByID("vscode"), dialect: vscodeDialect, readEntry: readVSCode}
}

func readVSCode(k *keys, d *Entry, x *expander) {
	k.common(d, x)
	k.choose(d, k.text("type"))
	if scheme, _, _ := strings.Cut(d.URL, "://"); scheme == "unix" || scheme == "pipe" {
		k.fail(k.value, "its url is a socket (%s), which ctxfs does not speak with", scheme)
	}
	if d.Transport == config.Stdio {
		k.envFile(d, x)
	}
}

// copilot is the Copilot CLI, whose entries are as those of VS Code, but without
// variables.
func copilot() client {
	return client{
		agent: agents.ByID("copilot"),
		readEntry: func(k *keys, d *Entry, x *expander) {
			readVSCode(k, d, x)
			if tools := k.texts("tools"); !slices.Contains(tools, "*") {
				d.Tools.Allow = tools
			}
		},
	}
}

// cline is Cline. An address without a type means SSE.
func cline() client {
	return client{
		agent: agents.ByID("cline"),
		readEntry: func(k *keys, d *Entry, x *expander) {
			k.common(d, x)
			kind := cmp.Or(k.text("type"), k.text("transportType"))
			if kind == "" && d.Command == "" && d.URL != "" {
				kind = "sse"
			}
			k.choose(d, kind)
			d.CallTimeout = k.duration("timeout", time.Second)
		},
	}
}

// windsurf is Windsurf, whose key for an address is "serverUrl".
func windsurf() client {
	return client{
		agent: agents.ByID("windsurf"), dialect: envDialect,
		readEntry: func(k *keys, d *Entry, x *expander) {
			k.common(d, x)
			if d.Command == "" && d.URL != "" && !k.has("serverUrl") {
				k.fail(k.value, `"url" is not read by Windsurf: there it is called "serverUrl"`)
			}
			k.remote(d, x, "serverUrl", "headers")
			d.choose("")
			d.Tools.Deny = k.texts("disabledTools")
		},
	}
}

// zed is Zed. Older entries nest the command in an object.
func zed() client {
	return client{
		agent: agents.ByID("zed"),
		readEntry: func(k *keys, d *Entry, x *expander) {
			if command, _ := k.value.Get("command"); command.Kind == syntax.Object {
				nested := &keys{value: command}
				nested.process(d, x, "path", "env")
				k.fault = nested.fault
			} else {
				k.process(d, x, "command", "env")
			}
			k.remote(d, x, "url", "headers")
			k.enabled(d, "enabled")
			d.choose("")
			if d.Command == "" && d.URL == "" && (k.has("settings") || k.text("source") == "extension") {
				k.fail(k.value, "it belongs to an extension of Zed, which alone can start it: "+
					"configure its command in ctxfs's config.toml as [mcp.servers.%s]", settings.Key(d.Name))
			}
		},
	}
}
