package kept

import (
	"testing"
	"time"

	"ctxfs/providers/mcp/calls"
)

func TestKeptContent(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		content calls.Content
		want    string
	}{
		{calls.Content{MIMEType: "text/markdown; charset=utf-8"}, "md"}, {calls.Content{MIMEType: "application/ld+json"}, "json"},
		{calls.Content{MIMEType: "Text/HTML"}, "html"}, {calls.Content{MIMEType: "text/csv"}, "csv"}, {calls.Content{}, "txt"},
		{calls.Content{MIMEType: "image/png", Blob: []byte{0}}, "png"}, {calls.Content{MIMEType: "image/jpeg", Blob: []byte{0}}, "jpg"},
		{calls.Content{MIMEType: "application/pdf", Blob: []byte{0}}, "pdf"}, {calls.Content{MIMEType: "text/csv", Blob: []byte{0}}, "csv"},
	} {
		k, err := content("x", &calls.Reading{Contents: []calls.Content{c.content, {Text: "more"}}}, now)
		if err != nil || k.Extension() != c.want || k.Binary != (c.content.Blob != nil) {
			t.Errorf("%v: %v, %v", c.content, k, err)
		}
	}
	for _, r := range []*calls.Reading{{}, {Contents: []calls.Content{{Blob: make([]byte, limit+1)}}}} {
		if _, err := content("x", r, now); err == nil {
			t.Error("it is kept")
		}
	}
}
