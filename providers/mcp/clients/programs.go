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

// gemini reads the files of the Gemini CLI. For one name the system's entry wins,
// then the project's, then the user's. Gemini leaves a variable that is not set as
// it is written; here that is a fault.
func gemini() client {
	return client{
		agent: agents.ByID("gemini"), layers: true, find: findGemini, dialect: geminiDialect,
		readEntry: func(k *keys, e *Entry, x *expander) {
			k.common(e, x)
			k.geminiLogin(e, x)
			kind := k.text("type")
			if address := k.text("httpUrl"); address != "" {
				e.URL, kind = x.text("url", address), "http"
			} else if e.URL != "" && e.Command == "" {
				kind = cmp.Or(kind, "sse")
			}
			k.choose(e, kind)
			e.CallTimeout = k.duration("timeout", time.Millisecond)
			e.Tools = policy.Filter{Allow: geminiTools(k.texts("includeTools")), Deny: k.texts("excludeTools")}
		},
	}
}

// findGemini finds the servers, and disables those that the settings leave out.
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
	for _, e := range r.entries {
		switch {
		case slices.Contains(excluded, e.Name):
			e.Disabled, e.EnableHint = true, "take "+e.QuotedName()+" out of `mcp.excluded` in "+r.path
		case some && !slices.Contains(allowed, e.Name):
			e.Disabled, e.EnableHint = true, "add "+e.QuotedName()+" to `mcp.allowed` in "+r.path
		}
	}
	return nil
}

// geminiTools returns the names of tools; Gemini also accepts "tool(args)".
func geminiTools(tools []string) []string {
	for i, t := range tools {
		tools[i], _, _ = strings.Cut(t, "(")
	}
	return tools
}

// goose reads the file of Goose, the one client with YAML. The file also has
// extensions of Goose itself, which are not servers.
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
		readEntry: func(k *keys, e *Entry, x *expander) {
			e.Command, e.Args, e.Env = k.text("cmd"), k.texts("args"), k.table("envs")
			keys := k.texts("env_keys")
			x.extra = e.Env
			k.remote(e, x, "uri", "headers")
			for i, u := range x.unset {
				if slices.Contains(keys, u.name) {
					x.unset[i].keyring = "Goose"
				}
			}
			if e.Command != "" {
				addKeyringVariables(e, x, keys)
			}
			k.enabled(e, "enabled")
			k.choose(e, k.text("type"))
			e.StartTimeout = k.duration("timeout", time.Second)
			if tools := k.texts("available_tools"); len(tools) > 0 {
				e.Tools.Allow = tools
			}
		},
	}
}

// addKeyringVariables gives the process the variables that Goose has in its
// keyring, with their values in the environment.
func addKeyringVariables(e *Entry, x *expander, keys []string) {
	for _, name := range keys {
		if _, given := e.Env[name]; given {
			continue
		}
		value, ok := x.variable(name)
		if !ok {
			x.key = "env." + name
			x.missing(unset{variable: name, name: name, keyring: "Goose"})
			continue
		}
		put(&e.Env, name, value)
	}
}

// opencode reads the files of opencode. The command is an array with its arguments.
func opencode() client {
	return client{
		agent: agents.ByID("opencode"), layers: true, dialect: opencodeDialect,
		readEntry: func(k *keys, e *Entry, x *expander) {
			e.partial = !k.has("type") && !k.has("command") && !k.has("url")
			if command := x.texts("command", k.texts("command")); len(command) > 0 {
				e.Command, e.Args = command[0], command[1:]
			}
			e.Env = x.table("env", k.table("environment"))
			e.Dir = x.text("cwd", k.text("cwd"))
			k.remote(e, x, "url", "headers")
			k.opencodeLogin(e, x)
			k.enabled(e, "enabled")
			if v, _ := k.value.Get("timeout"); v.Kind != syntax.Object {
				e.StartTimeout = k.duration("timeout", time.Millisecond)
			}
			if !e.partial {
				k.choose(e, k.text("type"))
			}
		},
	}
}

// amp reads the files of Amp, in which "amp.mcpServers" is one key.
func amp() client {
	return client{
		agent: agents.ByID("amp"), layers: true, dialect: plainDialect,
		readEntry: func(k *keys, e *Entry, x *expander) {
			k.common(e, x)
			e.choose("")
			e.Tools.Allow = k.texts("includeTools")
		},
	}
}
