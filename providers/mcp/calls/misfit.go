package calls

import (
	"encoding/json"
	"errors"

	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
)

// maxChecked is the size in bytes up to which a structured result is checked
// against the tool's output schema, which takes several times as much memory.
const maxChecked = 8 << 20

// checkedSince is the first version of the protocol that requires a tool with an
// output schema to return a conforming structured result.
const checkedSince = "2025-06-18"

// misfitKey is the key of a misfit in the "_meta" of a raw result.
const misfitKey = "ctxfs/misfit"

// checkOutput records how a result violates the tool's output schema. A program
// that relies on the schema would fail on it, or worse; a reader may not mind.
func (o *output) checkOutput(structured json.RawMessage) {
	if o.opts.Tool.output == nil {
		return
	}
	switch version := o.opts.Protocol; {
	case version < checkedSince:
		return
	case structured == nil:
		o.Misfit = "the result is not structured, although the tool has an output schema"
	case len(structured) > maxChecked:
		return
	default:
		var fault *arguments.Error
		if !errors.As(o.opts.Tool.output().Fits(structured, "the whole"), &fault) {
			return
		}
		o.Misfit = "the structured result does not fit the tool's output schema: " + fault.What
	}
	o.Misfit = clean.Line(o.Misfit)
	o.Raw = withMeta(o.Raw, misfitKey, o.Misfit)
}

// withMeta adds a string to the "_meta" of an object.
func withMeta(raw json.RawMessage, key, text string) json.RawMessage {
	o, err := rawjson.ParseObject(raw)
	if err != nil {
		return raw
	}
	var meta rawjson.Object
	if is := o.Get("_meta"); is != nil {
		meta, _ = rawjson.ParseObject(is) // anything but an object is replaced
	}
	value, err := json.Marshal(text)
	if err != nil {
		return raw
	}
	if value, err = meta.With(key, value).Append(nil); err != nil {
		return raw
	}
	out, err := o.With("_meta", value).Append(nil)
	if err != nil {
		return raw
	}
	return out
}
