package clients

import (
	"fmt"
	"strconv"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// keys reads the keys of one server's entry. A key of a wrong type is a fault; the
// first one is kept.
type keys struct {
	value syntax.Value
	fault string
}

// fail records a fault at a place of the file.
func (k *keys) fail(at syntax.Value, format string, args ...any) {
	if k.fault == "" {
		k.fault = at.Errorf(format, args...).Error()
	}
}

// has reports whether the entry has a key.
func (k *keys) has(key string) bool {
	_, ok := k.value.Get(key)
	return ok
}

// text returns a string; "" if it is missing.
func (k *keys) text(key string) string {
	v, ok := k.value.Get(key)
	if ok && v.Kind != syntax.Text {
		k.fail(v, "%q is not a string", key)
		return ""
	}
	return v.Text
}

// texts returns an array of strings: nil if it is missing, but not if it is empty.
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
		k.fail(v, "%q is not an array of strings", key)
		return nil
	}
	return texts
}

// flag reports whether a key is there and true.
func (k *keys) flag(key string) bool {
	v, ok := k.value.Get(key)
	if ok && v.Kind != syntax.Bool {
		k.fail(v, "%q is not true or false", key)
	}
	return ok && v.Text == "true"
}

// duration returns a number of units as a time; 0 if it is missing.
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

// table returns an object of strings. Numbers and booleans in it are taken as they
// are written, since that is what the user meant.
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
			k.fail(m.Value, "%q in %q is %s, not a string", m.Name, key, m.Value.Kind)
		}
	}
	return table
}

// put sets a variable or a header in a table, which it makes if it is nil.
func put(table *map[string]string, name, value string) {
	if *table == nil {
		*table = make(map[string]string)
	}
	(*table)[name] = value
}

// common reads the keys on which most clients agree.
func (k *keys) common(e *Entry, x *expander) {
	k.process(e, x, "command", "env")
	k.remote(e, x, "url", "headers")
	e.Dir = x.text("cwd", k.text("cwd"))
	if k.flag("disabled") {
		e.disable("take `disabled` out of ")
	}
}

// process reads the keys of a server that is a process, and args.
func (k *keys) process(e *Entry, x *expander, command, env string) {
	e.Command = x.text("command", k.text(command))
	e.Args = x.texts("args", k.texts("args"))
	e.Env = x.table("env", k.table(env))
}

// remote reads the keys of a server that has an address.
func (k *keys) remote(e *Entry, x *expander, url, headers string) {
	e.URL = x.text("url", k.text(url))
	e.Headers = x.table("headers", k.table(headers))
}

// enabled reads a key that enables the server, which is the default.
func (k *keys) enabled(e *Entry, key string) {
	if k.has(key) && !k.flag(key) {
		e.disable("set `" + key + "` to true in ")
	}
}

// choose sets the transport as [Entry.choose] does, and records what is wrong.
func (k *keys) choose(e *Entry, kind string) {
	if wrong := e.choose(kind); wrong != "" {
		k.fail(k.value, "%s", wrong)
	}
}

// choose sets the transport by the "type" of the entry or, if that is "", by what is
// configured: a command, or an address. It returns what is wrong, or "".
func (e *Entry) choose(kind string) (wrong string) {
	switch kind {
	case "":
		e.Transport = config.Stdio
		if e.Command == "" {
			e.Transport = config.StreamableHTTP
		}
	case "stdio", "local":
		e.Transport = config.Stdio
		if e.Command == "" {
			return fmt.Sprintf(`"type" is %q, but there is no command`, kind)
		}
	case "http", "streamable-http", "streamableHttp", "streamable_http", "remote":
		e.Transport = config.StreamableHTTP
	case "sse":
		e.Transport = config.SSE
	default:
		return fmt.Sprintf(`"type" is %q, and not "stdio", "http" or "sse"`, clean.Line(kind))
	}
	if e.Transport == config.Stdio {
		e.URL, e.Headers = "", nil
		return ""
	}
	e.Command, e.Args, e.Env, e.Dir = "", nil, nil, ""
	if e.URL == "" && kind != "" {
		return fmt.Sprintf(`"type" is %q, but there is no address`, kind)
	}
	return ""
}
