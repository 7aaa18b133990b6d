package catalogue

import (
	"bytes"
	"time"

	"ctxfs/providers/internal/mediatype"
)

// Kept is the content of a resource that is shown as a file. It never changes.
type Kept struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	// Time is when this content was first fetched.
	Time   time.Time `json:"time"`
	Binary bool      `json:"binary,omitempty"`
	Body   []byte    `json:"body"`
}

func (k *Kept) Same(o *Kept) bool {
	return k.MIMEType == o.MIMEType && k.Binary == o.Binary && bytes.Equal(k.Body, o.Body)
}

// Extension is that of the file, without the dot.
func (k *Kept) Extension() string { return mediatype.Ext(k.MIMEType, k.Binary) }
