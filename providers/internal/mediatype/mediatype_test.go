package mediatype

import "testing"

func TestExt(t *testing.T) {
	for mime, want := range map[string][2]string{ // of text, of bytes
		"image/png": {"png", "png"}, "IMAGE/JPEG; q=1": {"jpg", "jpg"}, "audio/x-wav": {"wav", "wav"}, "application/pdf": {"pdf", "pdf"},
		"application/vnd.api+json": {"json", "json"}, "application/atom+xml; charset=utf-8": {"xml", "xml"}, "image/svg+xml": {"svg", "svg"},
		"text/markdown": {"md", "md"}, "text/x-unknown": {"txt", "txt"}, "": {"txt", "bin"}, "application/octet-stream": {"txt", "bin"}, "../x": {"txt", "bin"},
	} {
		if text, bytes := Ext(mime, false), Ext(mime, true); text != want[0] || bytes != want[1] {
			t.Errorf("%q: %q and %q, want %q", mime, text, bytes, want)
		}
	}
}
