package mcp

import (
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
)

// envFile reads the file of variables that the key "envFile" names; a variable
// of "env" has precedence.
func (k *keys) envFile(d *entry, x *expander) {
	path := x.text("envFile", k.text("envFile"))
	if path == "" || len(x.unset) > 0 {
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.base(), path)
	}
	x.reads = append(x.reads, path)
	text, _, err := readRegular(path)
	if err != nil {
		v, _ := k.value.Get("envFile")
		k.fail(v, "%q cannot be read: %v", path, wording.Cause(err))
		return
	}
	if d.env == nil {
		d.env = make(map[string]string)
	}
	for name, value := range dotenv(string(text)) {
		if _, ok := d.env[name]; !ok {
			d.env[name] = value
		}
	}
}

// dotenv reads lines of NAME=value, with comments, quotes and "export".
func dotenv(text string) map[string]string {
	vars := make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !isVariable(name) {
			continue
		}
		if quote := strings.IndexAny(value, `"'`); quote == 0 {
			if inner, _, closed := strings.Cut(value[1:], value[:1]); closed {
				value = inner
			}
		} else if i := strings.Index(value, " #"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		vars[name] = value
	}
	return vars
}
