package clients

import (
	"path/filepath"

	"ctxfs/providers/internal/jsonc"
)

// amp is Amp, in whose settings "amp.mcpServers" is one key.
//
// Source of the format: ampcode.com/manual.
func amp() client {
	return client{
		name: "amp",
		files: func(s surroundings) []place {
			if file, ok := s.lookup("AMP_SETTINGS_FILE"); ok && filepath.IsAbs(file) {
				return userFiles(file)
			}
			return userFiles(s.config("amp", "settings.json"), s.config("amp", "settings.jsonc"))
		},
		project: []string{".amp/settings.json", ".amp/settings.jsonc"},
		layers:  true,
		parse:   jsonc.Parse,
		find:    below("amp.mcpServers"),
		dialect: plainDialect,
		entry: func(k *keys, d *entry, x *expander) {
			k.common(d, x)
			d.choose("")
			d.Tools.Allow = k.texts("includeTools")
		},
	}
}
