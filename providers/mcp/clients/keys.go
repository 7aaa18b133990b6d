package clients

import (
	"fmt"
	"strconv"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// entry reads the keys of one server's entry. A key of a wrong type is a
// fault, of which the first is kept.
type keys struct {
	value syntax.Value
	fault string
}

func (k *keys) fail(at syntax.Value, format string, args ...any) {
	if k.fault == "" {
		k.fault = at.Errorf(format, args...).Error()
	}
}

// has tells whether the entry has a key.
func (k *keys) has(key string) bool {
	_, ok := k.value.Get(key)
	return ok
}

func (k *keys) text(key string) string {
	v, ok := k.value.Get(key)
	if ok && v.Kind != syntax.Text {
		k.fail(v, "%q is not a text", key)
		return ""
	}
	return v.Text
}

// texts is an array of texts. One that is not there is nil, one that is empty
// is not.
func (k *keys) texts(key string) []string {
	v, ok := k.value.Get(key)
	if !ok {
		return nil
	}
	fits, texts := v.Kind == syntax.Array, make([]string, 0, len(v.Items))
	for _, item := range v.Items {
		fits = fits && item.Kind == syntax.Text
		texts = append(texts, item.Text)
	}
	if !fits {
		k.fail(v, "%q is not an array of texts", key)
		return nil
	}
	return texts
}

func (k *keys) flag(key string) bool {
	v, ok := k.value.Get(key)
	if ok && v.Kind != syntax.Bool {
		k.fail(v, "%q is not true or false", key)
	}
	return ok && v.Text == "true"
}

// duration is a number of units.
func (k *keys) duration(key string, unit time.Duration) time.Duration {
	v, ok := k.value.Get(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != syntax.Number || err != nil || !(n >= 0 && n*float64(unit) <= float64(config.MaxTimeout)) {
		name := "seconds"
		if unit == time.Millisecond {
			name = "milliseconds"
		}
		k.fail(v, "%q is not a number of %s up to %d", key, name, config.MaxTimeout/unit)
		return 0
	}
	return time.Duration(n * float64(unit))
}

// table is an object of texts; numbers and truth values in it are taken as
// they are written, since that is what their writer meant.
func (k *keys) table(key string) map[string]string {
	v, ok := k.value.Get(key)
	if !ok {
		return nil
	}
	if v.Kind != syntax.Object {
		k.fail(v, "%q is %s, not an object", key, v.Kind)
		return nil
	}
	table := make(map[string]string, len(v.Members))
	for _, m := range v.Members {
		switch m.Value.Kind {
		case syntax.Text, syntax.Number, syntax.Bool:
			table[m.Name] = m.Value.Text
		case syntax.Null:
		default:
			k.fail(m.Value, "%q in %q is %s, not a text", m.Name, key, m.Value.Kind)
		}
	}
	return table
}

// common reads the keys on which most clients agree, and expands them.
func (k *keys) common(d *Entry, x *expander) {
	k.process(d, x, "command", "env")
	k.remote(d, x, "url", "headers")
	d.Dir = x.text("cwd", k.text("cwd"))
	if k.flag("disabled") {
		d.disable("take `disabled` out of ")
	}
}

// process reads the keys of a server that is a process.
func (k *keys) process(d *Entry, x *expander, command, env string) {
	d.Command = x.text("command", k.text(command))
	d.Args = x.texts("args", k.texts("args"))
	d.Env = x.table("env", k.table(env))
}

// remote reads the keys of a server that has an address.
func (k *keys) remote(d *Entry, x *expander, url, headers string) {
	d.URL = x.text("url", k.text(url))
	d.Headers = x.table("headers", k.table(headers))
}

// enabled reads a key that switches the server on, and is on where it is not
// there.
func (k *keys) enabled(d *Entry, key string) {
	if k.has(key) && !k.flag(key) {
		d.disable("set `" + key + "` to true in ")
	}
}

// choose sets the transport from the "type" of the entry, or else from what is
// configured: a command, or an address.
func (k *keys) choose(d *Entry, kind string) {
	if wrong := d.choose(kind); wrong != "" {
		k.fail(k.value, "%s", wrong)
	}
}

// choose sets the transport. It returns what is wrong, or "".
func (d *Entry) choose(kind string) (wrong string) {
	switch kind {
	case "":
		d.Transport = config.Stdio
		if d.Command == "" {
			d.Transport = config.StreamableHTTP
		}
	case "stdio", "local":
		d.Transport = config.Stdio
		if d.Command == "" {
			return fmt.Sprintf(`"type" is %q, but there is no command`, kind)
		}
	case "http", "streamable-http", "streamableHttp", "streamable_http", "remote":
		d.Transport = config.StreamableHTTP
	case "sse":
		d.Transport = config.SSE
	default:
		return fmt.Sprintf(`"type" is %q, and not "stdio", "http" or "sse"`, clean.Line(kind))
	}
	if d.Transport == config.Stdio {
		d.URL, d.Headers = "", nil
		return ""
	}
	d.Command, d.Args, d.Env, d.Dir = "", nil, nil, ""
	if d.URL == "" && kind != "" {
		return fmt.Sprintf(`"type" is %q, but there is no address`, kind)
	}
	return ""
}
