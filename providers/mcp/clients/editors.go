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

// cursor reads the files of Cursor, which ignores "type": an entry with a command is
// a process, one with a url is an HTTP server. Which servers are enabled is not in
// the file.
func cursor() client {
	return client{
		agent: agents.ByID("cursor"), dialect: editorDialect,
		readEntry: func(k *keys, e *Entry, x *expander) {
			k.common(e, x)
			k.cursorLogin(e, x)
			e.choose("")
			if e.Transport == config.Stdio {
				k.envFile(e, x)
			}
		},
	}
}

// vscode reads the files of VS Code.
func vscode() client {
	return client{agent: agents.ByID("vscode"), dialect: vscodeDialect, readEntry: readVSCode}
}

// readVSCode reads an entry of VS Code.
func readVSCode(k *keys, e *Entry, x *expander) {
	k.common(e, x)
	k.choose(e, k.text("type"))
	if scheme, _, _ := strings.Cut(e.URL, "://"); scheme == "unix" || scheme == "pipe" {
		k.fail(k.value, "its url is a socket (%s), which ctxfs does not support", scheme)
	}
	if e.Transport == config.Stdio {
		k.envFile(e, x)
	}
}

// copilot reads the file of the Copilot CLI, whose entries are like those of VS
// Code, but without variables.
func copilot() client {
	return client{
		agent: agents.ByID("copilot"),
		readEntry: func(k *keys, e *Entry, x *expander) {
			readVSCode(k, e, x)
			if tools := k.texts("tools"); !slices.Contains(tools, "*") {
				e.Tools.Allow = tools
			}
		},
	}
}

// cline reads the files of Cline. An address without a type means SSE.
func cline() client {
	return client{
		agent: agents.ByID("cline"),
		readEntry: func(k *keys, e *Entry, x *expander) {
			k.common(e, x)
			kind := cmp.Or(k.text("type"), k.text("transportType"))
			if kind == "" && e.Command == "" && e.URL != "" {
				kind = "sse"
			}
			k.choose(e, kind)
			e.CallTimeout = k.duration("timeout", time.Second)
		},
	}
}

// windsurf reads the file of Windsurf, whose key for an address is "serverUrl".
func windsurf() client {
	return client{
		agent: agents.ByID("windsurf"), dialect: envDialect,
		readEntry: func(k *keys, e *Entry, x *expander) {
			k.common(e, x)
			if e.Command == "" && e.URL != "" && !k.has("serverUrl") {
				k.fail(k.value, `Windsurf does not read "url": its key is "serverUrl"`)
			}
			k.remote(e, x, "serverUrl", "headers")
			e.choose("")
			e.Tools.Deny = k.texts("disabledTools")
		},
	}
}

// zed reads the files of Zed. Older entries nest the command in an object.
func zed() client {
	return client{
		agent: agents.ByID("zed"),
		readEntry: func(k *keys, e *Entry, x *expander) {
			if command, _ := k.value.Get("command"); command.Kind == syntax.Object {
				nested := &keys{value: command}
				nested.process(e, x, "path", "env")
				k.fault = nested.fault
			} else {
				k.process(e, x, "command", "env")
			}
			k.remote(e, x, "url", "headers")
			k.enabled(e, "enabled")
			e.choose("")
			if e.Command == "" && e.URL == "" && (k.has("settings") || k.text("source") == "extension") {
				k.fail(k.value, "it belongs to an extension of Zed, which only Zed can start: "+
					"configure its command in ctxfs's config.toml as [mcp.servers.%s]", settings.Key(e.Name))
			}
		},
	}
}
