package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestCallResults prints what tools answer.
func TestCallResults(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	b.mount()
	answers := func(result string) result {
		t.Helper()
		b.write("result.json", result)
		return b.run("call", "zoo", "open")
	}
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"hello"}]}`:                                    "hello\n",
		`{"content":[{"type":"text","text":"a\u001b[31m"},{"type":"text","text":"b\n"}]}`: "a\nb\n",
		`{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n": 1}}`:   "{\n  \"n\": 1\n}\n",
		`{"content":[]}`: "",
		`{"content":[{"type":"resource","resource":{"uri":"a://b","text":"inside"}},{"type":"odd","x":1}]}`: "inside\n",
	} {
		if r := answers(result); r.code != 0 || !strings.HasPrefix(r.out, want) || want == "" && r.out != "" {
			t.Errorf("%s: exit %d\n%v\nwant %q", result, r.code, r, want)
		}
	}
	r := answers(`{"content":[{"type":"text","text":"a summary"}],"structuredContent":{"n":1}}`)
	if r.out != "{\n  \"n\": 1\n}\n" || r.err != "a summary\n" {
		t.Errorf("a text beside a structure: %v", r)
	}

	// Bytes go to files.
	r = answers(`{"content":[{"type":"image","mimeType":"image/png","data":"AAEC/w=="}]}`)
	path := strings.TrimSpace(r.out[strings.LastIndex(r.out, " ")+1:])
	if body, err := os.ReadFile(path); err != nil || string(body) != "\x00\x01\x02\xff" || filepath.Ext(path) != ".png" {
		t.Errorf("an image: %v, %q %v", r, body, err)
	}
	if !strings.HasPrefix(path, b.mnt("results")+"/") {
		t.Errorf("the path is not one of the mount: %s", path)
	}

	// So do long texts, whole.
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "line %d of the result\n", i)
	}
	r = answers(asJSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": long.String()}}}))
	if len(r.out) > 12200 || !containsAll(r.out, []string{"line 0 of", "line 2999 of", "Large output has been written to: " + b.mnt("results"), " KB, 3000 lines)"}) {
		t.Errorf("a long text: %d bytes\n%v", len(r.out), r)
	}
	_, notice, _ := strings.Cut(r.out, "written to: ")
	path, _, _ = strings.Cut(notice, " (")
	if body, err := os.ReadFile(path); err != nil || string(body) != long.String() {
		t.Errorf("the file of a long text: %d bytes, %v", len(body), err)
	}
	fstest.Contains(t, b.read("results/INDEX.tsv"), "zoo\topen\t", filepath.Base(path))
	if r := b.run("call", "zoo", "open", "--max-bytes", "0"); r.out != long.String() {
		t.Errorf("without a limit: %d bytes", len(r.out))
	}
	if r := b.run("call", "zoo", "open", "--json"); !json.Valid([]byte(r.out)) || !strings.Contains(r.out, "line 1500 of") {
		t.Errorf("as JSON: %.200v", r)
	}

	// A structure can be searched by lines, and by jq.
	var rows []map[string]int
	for i := range 3000 {
		rows = append(rows, map[string]int{"row": i})
	}
	r = answers(asJSON(map[string]any{"content": []any{}, "structuredContent": map[string]any{"rows": rows}}))
	_, notice, _ = strings.Cut(r.out, "written to: ")
	path, _, _ = strings.Cut(notice, " (")
	if got := b.sh("jq '.rows|length' " + path + "; rg -c '\"row\": 17$' " + path); got != "3000\n1\n" {
		t.Errorf("a long structure: %q\n%v", got, r)
	}
}

// TestCallLarge has a result of 64 MB: it is whole in its file, and the caller
// stays small.
func TestCallLarge(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	b := zoo(t, "")
	b.mount()
	size := fstest.Rounds(64) << 20
	must(t, os.WriteFile(filepath.Join(b.home, "result.json"), []byte(
		`{"content":[{"type":"text","text":"`+strings.Repeat("0123456789abcde\\n", size/16)+`"}]}`), 0o600))
	// Asked of a small process: what was in memory before a program was started counts.
	r := b.do("python3", "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "+
		"print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)", b.program(), "call", "zoo", "open")
	peak, err := strconv.Atoi(strings.TrimSpace(r.err))
	if err != nil || peak > 100<<10 {
		t.Errorf("the caller takes %d KB (%v): %s", peak, err, r.err)
	}
	t.Logf("the caller takes %d KB", peak)
	out := r.out
	_, notice, _ := strings.Cut(out, "written to: ")
	path, rest, _ := strings.Cut(notice, " (")
	info, err := os.Stat(path)
	if err != nil || info.Size() != int64(size) || rest != fmt.Sprintf("%.1f MB, %d lines)\n", float64(size)/1e6, size/16) || len(out) > 12_200 {
		t.Errorf("%v, %v, %q, %d bytes are printed", info, err, rest, len(out))
	}
}
