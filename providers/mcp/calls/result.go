package calls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/mediatype"
	"ctxfs/providers/internal/rawjson"
)

// Result is what a tool answered, prepared for the caller. Its texts are clean:
// without control and invisible characters.
type Result struct {
	// Failed reports that the tool reports a failure; Text is what it reports.
	Failed bool
	// Text is for the caller: the text, or the structured result as JSON. If it is
	// too long, it is an excerpt whose last line names the file.
	Text   []byte
	IsJSON bool // Text is JSON, or an excerpt of it
	// Aside is text that says something other than the structured result.
	Aside []byte
	// Structured is the structured result, or nil if it is missing or too long.
	Structured json.RawMessage
	// File is the path of the whole text where it was too long.
	File string
	// Files are the paths of images and other binary content.
	Files []string
	// Misfit says in a sentence how the result violates the tool's output schema;
	// the result is still usable.
	Misfit string
	// Note says in a sentence how the call was made where its caller may not expect
	// it, such as outside of the caller's project; or "".
	Note string
	// Fault says what could not be written to a file and why; Text then holds the
	// beginning of it.
	Fault string
	// Size is the length in bytes of the text before it was shortened.
	Size int
	// Raw is the result as the server sent it.
	Raw json.RawMessage
}

// Results stores what is too long to be handed over, and binary content.
type Results interface {
	// Save stores a result of a tool. Ext is the extension of its file name without
	// the dot; with "" the content determines it. Save must not retain the body.
	Save(server, tool, ext string, body []byte) (SavedResult, error)
	// Limit returns the usual size in bytes of text above which it is stored.
	Limit() int
}

// SavedResult is a result in a file.
type SavedResult struct {
	Path  string
	Bytes int64
	Lines int
}

// ResultOptions are the inputs of NewResult besides the raw result.
type ResultOptions struct {
	Server   string // the name of its folder
	Tool     *Tool
	Protocol string // the version that the server speaks, or ""
	Limit    int    // as in Call
	Results  Results
}

// NewResult prepares a raw result for the caller. Its error is a [*UseError]: the
// result has a wrong form, or asks for input.
func NewResult(raw json.RawMessage, opts ResultOptions) (*Result, error) {
	wrong := func(err error) error {
		return &UseError{Server: opts.Server, What: clean.Line(err.Error()), Cause: err}
	}
	came, err := readCallResult(raw)
	if err != nil {
		return nil, wrong(err)
	}
	if came.inputs != nil {
		return nil, came.wantsInput(opts.Server)
	}
	out := &output{opts: opts, Result: Result{Failed: came.failed, Raw: clean.JSON(raw)}}
	for _, block := range came.content {
		if err := out.add(block); err != nil {
			return nil, wrong(err)
		}
	}
	if err := out.settle(came.structured); err != nil {
		return nil, wrong(err)
	}
	if !came.failed {
		out.checkOutput(came.structured)
	}
	out.shorten(opts.textLimit())
	return &out.Result, nil
}

// textLimit returns the size in bytes above which the text goes to a file; a
// negative one means no limit.
func (o ResultOptions) textLimit() int {
	switch {
	case o.Results == nil, o.Limit < 0:
		return -1
	case o.Limit > 0:
		return o.Limit
	}
	return max(o.Results.Limit(), o.Tool.maxText)
}

// output is a result that is being built.
type output struct {
	Result
	opts  ResultOptions
	parts []part // in their order
}

// part is a text of a result, or a line about something that is not text.
type part struct {
	text string
	line bool
}

func (o *output) addText(text string) { o.parts = append(o.parts, part{text, false}) }
func (o *output) addLine(text string) { o.parts = append(o.parts, part{text, true}) }

// block is a content block as the server sent it.
type block struct {
	wireContent
	Description string
}

// add adds a content block. One of an unknown type is shown as JSON.
func (o *output) add(raw json.RawMessage) error {
	var b block
	if err := json.Unmarshal(raw, &b); err != nil {
		if !json.Valid(raw) {
			return fmt.Errorf("%w: %w", errForm, err)
		}
		return o.addUnknown(raw)
	}
	switch b.Type {
	case "text":
		o.addText(clean.Text(b.Text))
	case "image", "audio":
		o.save(b.MIMEType, b.Data)
	case "resource":
		if r := b.Resource; r.Blob != nil {
			o.save(r.MIMEType, r.Blob)
		} else {
			o.addText(clean.Text(r.Text))
		}
	case "resource_link":
		o.addLine(strings.TrimSpace(clean.Line("resource: " + b.URI + " " + b.Name + " " + b.Description)))
	default:
		return o.addUnknown(raw)
	}
	return nil
}

func (o *output) addUnknown(raw json.RawMessage) error {
	text, err := rawjson.Indent(raw)
	if err != nil {
		return fmt.Errorf("%w: %w", errForm, err)
	}
	o.addText(string(text))
	return nil
}

// save writes binary content to a file, and adds a line with its path.
func (o *output) save(mimeType string, body []byte) {
	kind := cmp.Or(clean.Line(mimeType), "bytes of unknown type")
	is := fmt.Sprintf("%s (%s)", clean.Cut(kind, 100), wording.Size(int64(len(body))))
	if o.opts.Results == nil {
		o.addLine(is + " is in the raw result alone")
		return
	}
	saved, err := o.opts.Results.Save(o.opts.Server, o.opts.Tool.File, mediatype.Ext(mimeType, true), body)
	if err != nil {
		o.addLine(o.fail(is, err))
		return
	}
	o.Files = append(o.Files, saved.Path)
	o.addLine(is + " has been written to: " + saved.Path)
}

// fail records that something could not be written, and returns a line that says so.
func (o *output) fail(what string, err error) string {
	fault := what + " could not be written to a file: " + clean.Line(err.Error())
	o.Fault = cmp.Or(o.Fault, fault)
	return fault
}

// settle sets the text and the structured result.
func (o *output) settle(structured json.RawMessage) error {
	if structured == nil {
		o.Text = joined(o.parts)
		return nil
	}
	if !json.Valid(structured) {
		return errForm
	}
	o.Structured = clean.JSON(structured)
	wrapped := onlyMember(structured)
	var aside []part
	texts := 0
	for _, p := range o.parts {
		if !p.line && (repeats(p.text, structured) || wrapped != nil && repeats(p.text, wrapped)) {
			continue
		}
		aside = append(aside, p)
		if !p.line {
			texts++
		}
	}
	var text string
	if texts == 1 && wrapped != nil && json.Unmarshal(wrapped, &text) == nil {
		// Some libraries wrap a text: it is better read as it is.
		if text = clean.Text(text); slices.Contains(aside, part{text, false}) {
			o.Text = joined(aside)
			return nil
		}
	}
	var err error
	if o.Text, err = rawjson.Indent(structured); err != nil {
		return fmt.Errorf("%w: %w", errForm, err)
	}
	o.IsJSON = true
	o.Aside = joined(aside)
	return nil
}

// shorten writes what is longer than the limit to files.
func (o *output) shorten(limit int) {
	o.Size = len(o.Text)
	if limit < 0 {
		return
	}
	if len(o.Text) > limit {
		ext := ""
		if o.IsJSON {
			ext = "json"
		}
		o.Text, o.File = o.excerpt(o.Text, limit, ext)
		o.Structured = nil
	}
	if len(o.Aside) > limit {
		var path string
		if o.Aside, path = o.excerpt(o.Aside, limit, ""); path != "" {
			o.Files = append(o.Files, path)
		}
	}
}

// excerpt writes a text to a file, and returns what to show of it.
func (o *output) excerpt(text []byte, limit int, ext string) (short []byte, path string) {
	saved, err := o.opts.Results.Save(o.opts.Server, o.opts.Tool.File, ext, text)
	if err != nil {
		return excerpt.Of(text, limit, o.fail("the whole ("+wording.Size(int64(len(text)))+")", err)), ""
	}
	return excerpt.Of(text, limit, excerpt.Notice(saved.Path, saved.Bytes, saved.Lines)), saved.Path
}

// AddAside adds a line to Aside.
func (r *Result) AddAside(line string) {
	if len(r.Aside) > 0 && r.Aside[len(r.Aside)-1] != '\n' {
		r.Aside = append(r.Aside, '\n')
	}
	r.Aside = append(append(r.Aside, line...), '\n')
}

// Join returns texts one after the other, each beginning on a line of its own.
func Join(texts ...string) string {
	parts := make([]part, len(texts))
	for i, text := range texts {
		parts[i].text = text
	}
	return string(joined(parts))
}

// joined returns texts one after the other, each beginning on a line of its own.
func joined(parts []part) []byte {
	size := 0
	for _, p := range parts {
		size += len(p.text) + 1
	}
	out := make([]byte, 0, size)
	for _, p := range parts {
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, p.text...)
	}
	return out
}

// maxCompared is the size in bytes up to which values are compared regardless of
// notation.
const maxCompared = 1 << 20

// repeats reports whether a text is the structured result over again.
func repeats(text string, structured json.RawMessage) bool {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || !json.Valid([]byte(trimmed)) {
		return false
	}
	var a, b bytes.Buffer
	if json.Compact(&a, []byte(trimmed)) != nil || json.Compact(&b, structured) != nil {
		return false
	}
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		return true
	}
	return a.Len() <= maxCompared && b.Len() <= maxCompared && equalJSON(a.Bytes(), b.Bytes())
}

// equalJSON reports whether two JSON texts have the same value, whatever the order
// of members and the notation of numbers and strings.
func equalJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// onlyMember returns the value of the only member of an object, or nil.
func onlyMember(object json.RawMessage) (only json.RawMessage) {
	if !bytes.HasPrefix(bytes.TrimSpace(object), []byte("{")) {
		return nil
	}
	n := 0
	for _, value := range rawjson.Parts(object) {
		if n++; n > 1 {
			return nil
		}
		only = value
	}
	return only
}
