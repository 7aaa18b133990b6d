package clients

import (
	"slices"
	"time"

	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/internal/yaml"
)

// goose is Goose, the one client whose file is YAML. Its own extensions, which
// are no servers, stand there too.
//
// Source of the format: block.github.io/goose/docs/guides/config-files.
func goose() client {
	return client{
		name:  "goose",
		files: func(s surroundings) []place { return userFiles(s.config("goose", "config.yaml")) },
		parse: func(text []byte) (syntax.Value, error) {
			file, _, err := yaml.Parse(string(text))
			return file, err
		},
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
		dialect: plainDialect,
		entry: func(k *keys, d *entry, x *expander) {
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
func takeKeys(d *entry, x *expander, keys []string) {
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
