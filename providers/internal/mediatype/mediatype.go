// Package mediatype maps MIME types to file name extensions. It has a table of its
// own: those of the system differ between machines, and file names must not.
package mediatype

import "strings"

// Ext returns the extension for a MIME type, without the dot, whatever its
// parameters and case. For an unknown type it returns "txt" for text and "bin"
// for bytes.
func Ext(mimeType string, binary bool) string {
	t, _, _ := strings.Cut(strings.ToLower(mimeType), ";")
	t = strings.TrimSpace(t)
	known := map[string]string{
		"application/json": "json", "application/jsonl": "jsonl", "application/x-ndjson": "jsonl", "application/pdf": "pdf",
		"application/xml": "xml", "text/xml": "xml", "application/yaml": "yaml", "application/x-yaml": "yaml", "text/yaml": "yaml",
		"application/zip": "zip", "application/gzip": "gz",
		"audio/flac": "flac", "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mp4": "m4a", "audio/ogg": "ogg",
		"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/webm": "webm", "video/webm": "webm", "video/mp4": "mp4",
		"image/avif": "avif", "image/bmp": "bmp", "image/gif": "gif", "image/jpeg": "jpg", "image/jpg": "jpg", "image/png": "png",
		"image/svg+xml": "svg", "image/tiff": "tiff", "image/webp": "webp",
		"text/csv": "csv", "text/html": "html", "text/markdown": "md", "text/tab-separated-values": "tsv",
	}
	switch {
	case known[t] != "":
		return known[t]
	case strings.HasSuffix(t, "+json"):
		return "json"
	case strings.HasSuffix(t, "+xml"):
		return "xml"
	case binary && !strings.HasPrefix(t, "text/"):
		return "bin"
	}
	return "txt"
}
