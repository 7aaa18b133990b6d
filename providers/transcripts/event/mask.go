package event

import (
	"strings"

	"ctxfs/providers/internal/mask"
)

// Mask hides the secrets in what an event says, so that no copy of it has them.
// The same event always becomes the same. What it points to is not changed.
func (e *Event) Mask() {
	if e.Kind == Fork { // its text is an id
		return
	}
	e.Text = mask.Text(e.Text)
	e.Record = masked(e.Record)
	if e.Call != nil {
		if input := masked(e.Call.Input); input != e.Call.Input {
			c := *e.Call
			c.Input = input
			e.Call = &c
		}
	}
	if e.Result != nil {
		if text := masked(e.Result.Text); text != e.Result.Text {
			r := *e.Result
			r.Text = text
			e.Result = &r
		}
	}
	if e.Compact != nil {
		if summary := mask.Text(e.Compact.Summary); summary != e.Compact.Summary {
			c := *e.Compact
			c.Summary = summary
			e.Compact = &c
		}
	}
}

// masked is a text, which may be JSON and then stays so, without its secrets.
func masked(text string) string {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return string(mask.JSON([]byte(text)))
	}
	return mask.Text(text)
}
