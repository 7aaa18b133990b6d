package main

import (
	"encoding/json"
	"testing"

	"ctxfs/fs/fstest"
)

// TestRead asks servers without a mount: the background process starts them.
func TestRead(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.stub("dies", "dies", nil)
	for _, what := range []string{"stub://one", "one"} {
		fstest.Equal(t, b.ok("read", "zoo", what), "The text of one.", "read", what)
	}
	fstest.Equal(t, b.ok("read", "zoo", "pics://2"), "\x00\x01\x02\xff", "the blob")
	var raw struct{ Contents []struct{ MimeType string } }
	if err := json.Unmarshal([]byte(b.ok("read", "--json", "zoo", "one")), &raw); err != nil || len(raw.Contents) != 1 || raw.Contents[0].MimeType != "text/plain" {
		t.Errorf("--json: %v, %v", raw, err)
	}
	b.refused(exitFailed, []string{"resource not found", `did you mean "stub://one"?`}, "read", "zoo", "stub://on")
	b.refused(exitFailed, []string{"resource not found", "ctxfs ls mcps/zoo/resources"}, "read", "zoo", "file:///somewhere/else")
	b.refused(exitFailed, []string{`no server is called "zo"`, "zoo"}, "read", "zo", "one")
	b.refused(exitFailed, []string{"server dies (error)", "exited with status 3", "ctxfs restart dies"}, "read", "dies", "one")
	b.refused(exitUsage, []string{"--help"}, "read", "zoo")
	fstest.Contains(t, b.ok("__complete", "read", "zoo", ""), "one\n", "two\n")
}

func TestPromptGet(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	want := "user:\n\nReview this.\n\nassistant:\n\n(image/png of 3 bytes; --json has it)\n"
	for _, name := range []string{"review.it", "review_it"} {
		fstest.Equal(t, b.ok("prompt-get", "zoo", name, "--arg", "of=this"), want, name)
	}
	fstest.Contains(t, b.ok("prompt-get", "--json", "zoo", "review.it", "--arg", "of=a=b"), `"Review a=b."`, `"messages"`)
	b.refused(exitFailed, []string{"the argument of is missing", "ctxfs cat mcps/zoo/prompts/review_it.json"}, "prompt-get", "zoo", "review.it")
	b.refused(exitFailed, []string{"no such prompt", `did you mean "review.it"?`}, "prompt-get", "zoo", "revue.it")
	b.refused(exitUsage, []string{"NAME=VALUE"}, "prompt-get", "zoo", "review.it", "--arg", "of")
}
