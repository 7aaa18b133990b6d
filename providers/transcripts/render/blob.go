package render

import (
	"strings"

	"ctxfs/providers/transcripts/event"
)

// longBlob is the least length of a run of base64 that counts as binary data, in
// bytes.
const longBlob = 1 << 10

// blobs replaces long runs of base64 by notes, with the "data:" before them
// where there is one.
func blobs(text string) string {
	from, size := base64Run(text, 0)
	if size == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for ; size > 0; from, size = base64Run(text, from+size) {
		data := text[from : from+size]
		if !isBinary(data) {
			continue // a long word, a rule, a number
		}
		start, mediaType := dataURL(text[done:from])
		if mediaType == "" {
			mediaType = mediaTypeOf(data)
		}
		out.WriteString(text[done : done+start])
		out.WriteString(event.Blob(mediaType, size/4*3))
		done = from + size
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// base64Run finds the next run of base64 that is long enough. Until it finds one,
// it reads only every longBlob-th byte.
func base64Run(text string, from int) (start, size int) {
	for from+longBlob <= len(text) {
		at := from + longBlob
		for at > from && base64Byte(text[at-1]) {
			at--
		}
		if at > from {
			from = at // the byte before it belongs to no run
			continue
		}
		end := from + longBlob
		for end < len(text) && base64Byte(text[end]) {
			end++
		}
		return from, end - from
	}
	return 0, 0
}

func base64Byte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '=' || c == '_' || c == '-'
}

// isBinary reports whether a run has lower-case and upper-case letters and digits,
// as binary data always has.
func isBinary(data string) bool {
	var small, big, digit bool
	for i := range longBlob {
		c := data[i]
		small = small || 'a' <= c && c <= 'z'
		big = big || 'A' <= c && c <= 'Z'
		digit = digit || '0' <= c && c <= '9'
	}
	return small && big && digit
}

// dataURL returns where the "data:image/png;base64," begins that before ends with,
// and its media type; without one, the end of before.
func dataURL(before string) (start int, mediaType string) {
	head, ok := strings.CutSuffix(before, ";base64,")
	if !ok {
		return len(before), ""
	}
	const longestType = 100
	i := strings.LastIndex(head[max(0, len(head)-longestType):], "data:")
	if i < 0 {
		return len(before), ""
	}
	i += max(0, len(head)-longestType)
	mediaType, _, _ = strings.Cut(head[i+len("data:"):], ";")
	if strings.ContainsAny(mediaType, " \n\t[]\"'") {
		return len(before), ""
	}
	return i, mediaType
}

// mediaTypeOf returns the media type of base64 by its beginning.
func mediaTypeOf(data string) string {
	switch {
	case strings.HasPrefix(data, "iVBORw0KGgo"):
		return "image/png"
	case strings.HasPrefix(data, "/9j/"):
		return "image/jpeg"
	case strings.HasPrefix(data, "R0lGOD"):
		return "image/gif"
	case strings.HasPrefix(data, "UklGR"):
		return "image/webp"
	case strings.HasPrefix(data, "JVBERi"):
		return "application/pdf"
	}
	return ""
}
