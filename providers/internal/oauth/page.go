package oauth

import (
	"html"
	"io"
	"net/http"
	"strings"

	"ctxfs/providers/internal/clean"
)

// writePage answers a browser: a heading and paragraphs of plain text.
func writePage(w http.ResponseWriter, status int, heading string, paragraphs ...string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the code
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<title>ctxfs</title><style>body{font:1.1em/1.6 system-ui,sans-serif;max-width:34em;margin:18vh auto 0;padding:0 1.5em;` +
		`color:#222;background:#fff}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}</style></head><body>`)
	b.WriteString("<h1>" + html.EscapeString(heading) + "</h1>")
	for _, p := range paragraphs {
		b.WriteString("<p>" + html.EscapeString(clean.Line(p)) + "</p>")
	}
	b.WriteString("</body></html>\n")
	_, _ = io.WriteString(w, b.String())
}
