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
	switch t {
	case "application/json":
		return "json"
	case "application/jsonl", "application/x-ndjson":
		return "jsonl"
	case "application/pdf":
		return "pdf"
	case "application/xml", "text/xml":
		return "xml"
	case "application/yaml", "application/x-yaml", "text/yaml":
		return "yaml"
	case "application/zip":
		return "zip"
	case "application/gzip":
		return "gz"
	case "audio/flac":
		return "flac"
	case "audio/mpeg", "audio/mp3":
		return "mp3"
	case "audio/mp4":
		return "m4a"
	case "audio/ogg":
		return "ogg"
	case "audio/wav", "audio/x-wav", "audio/wave":
		return "wav"
	case "audio/webm", "video/webm":
		return "webm"
	case "image/avif":
		return "avif"
	case "image/bmp":
		return "bmp"
	case "image/gif":
		return "gif"
	case "image/jpeg", "image/jpg":
		return "jpg"
	case "image/png":
		return "png"
	case "image/svg+xml":
		return "svg"
	case "image/tiff":
		return "tiff"
	case "image/webp":
		return "webp"
	case "text/csv":
		return "csv"
	case "text/html":
		return "html"
	case "text/markdown":
		return "md"
	case "text/tab-separated-values":
		return "tsv"
	case "video/mp4":
		return "mp4"
	}
	switch {
	case strings.HasSuffix(t, "+json"):
		return "json"
	case strings.HasSuffix(t, "+xml"):
		return "xml"
	case binary && !strings.HasPrefix(t, "text/"):
		return "bin"
	}
	return "txt"
}
