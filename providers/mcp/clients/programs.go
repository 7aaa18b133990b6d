package clients

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/policy"
)

// gemini is the Gemini CLI. Of one name that of the system's settings wins,
// then the project's, then the user's. To it a variable that is not set stays
// as it is written; here it is a fault.
func gemini() client {
	return client{
		agent: agents.ByID("gemini"), layers: true, find: findGemini, dialect: geminiDialect,
		readEntry: func(k *keys, d *Entry, x *expander) {
			k.common(d, x)
			k.geminiLogin(d, x)
			kind := k.text("type")
			if address := k.text("httpUrl"); address != "" {
				d.URL, kind = x.text("url", address), "http"
			} else if d.URL != "" && d.Command == "" {
				kind = cmp.Or(kind, "sse")
			}
			k.choose(d, kind)
			d.CallTimeout = k.duration("timeout", time.Millisecond)
			d.Tools = policy.Filter{Allow: geminiTools(k.texts("includeTools")), Deny: k.texts("excludeTools")}
		},
	}
}

// findGemini finds the servers, and those that the settings leave out.
func findGemini(r *reader, file syntax.Value) error {
	if err := r.below(r, file); err != nil {
		return err
	}
	names := func(key string) (names []string, ok bool) {
		list, ok := file.At("mcp", key)
		for _, name := range list.Items {
			names = append(names, name.Text)
		}
		return names, ok && list.Kind == syntax.Array
	}
	allowed, some := names("allowed")
	excluded, _ := names("excluded")
	for _, d := range r.entries {
		switch {
		case slices.Contains(excluded, d.Name):
			d.Disabled, d.EnableHint = true, "take "+d.QuotedName()+" out of `mcp.excluded` in "+r.path
		case some && !slices.Contains(allowed, d.Name):
			d.Disabled, d.EnableHint = true, "add "+d.QuotedName()+" to `mcp.allowed` in "+r.path
		}
	}
	return nil
}

// geminiTools are the names of tools, of which Gemini also takes "tool(args)".
func geminiTools(tools []string) []string {
	for i, t := range tools {
		tools[i], _, _ = strings.Cut(t, "(")
	}
	return tools
}

// goose is Goose, the one client whose file is YAML. Its own extensions, which
// are no servers, are there too.
func goose() client {
	return client{
		agent: agents.ByID("goose"), dialect: plainDialect,
		find: func(r *reader, file syntax.Value) error {
			extensions, ok := file.Get("extensions")
			if !ok {
				return nil
			}
			servers := extensions
			servers.Members = nil
			for _, m := range extensions.Members {
				switch kind, _ := m.Value.Get("type"); kind.Text {
				case "builtin", "platform", "frontend", "inline_python":
				default:
					servers.Members = append(servers.Members, m)
				}
			}
			return r.read(servers, "extensions")
		},
		readEntry: func(k *keys, d *Entry, x *expander) {
			d.Command, d.Args, d.Env = k.text("cmd"), k.texts("args"), k.table("envs")
			keys := k.texts("env_keys")
			x.extra = d.Env
			k.remote(d, x, "uri", "headers")
			for i, u := range x.unset {
				if slices.Contains(keys, u.name) {
					x.unset[i].keyring = "Goose"
				}
			}
			if d.Command != "" {
				takeKeys(d, x, keys)
			}
			k.enabled(d, "enabled")
			k.choose(d, k.text("type"))
			d.StartTimeout = k.duration("timeout", time.Second)
			if tools := k.texts("available_tools"); len(tools) > 0 {
				d.Tools.Allow = tools
			}
		},
	}
}

// takeKeys gives the process the variables that Goose has in its keyring, from
// the environment.
func takeKeys(d *Entry, x *expander, keys []string) {
	for _, name := range keys {
		if _, given := d.Env[name]; given {
			continue
		}
		value, ok := x.variable(name)
		if !ok {
			x.key = "env." + name
			x.missing(unset{variable: name, name: name, keyring: "Goose"})
			continue
		}
		if d.Env == nil {
			d.Env = make(map[string]string)
		}
		d.Env[name] = value
	}
}

// opencode is opencode, in which the command is an array with its arguments.
func opencode() client {
	return client{
		agent: agents.ByID("opencode"), layers: true, dialect: opencodeDialect,
		readEntry: func(k *keys, d *Entry, x *expander) {
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

// amp is Amp, in whose settings "amp.mcpServers" is one key.
func amp() client {
	return client{
		agent: agents.ByID("amp"), layers: true, dialect: plainDialect,
		readEntry: func(k *keys, d *Entry, x *expander) {
			k.common(d, x)
			d.choose("")
			d.Tools.Allow = k.texts("includeTools")
		},
	}
}
