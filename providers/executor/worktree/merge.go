package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// version is a file in a tree.
type version struct{ mode, blob string }

// Modes of files, of symbolic links, and of links to submodules.
const (
	regular    = "100" // how those of ordinary files begin
	executable = "100755"
	symlink    = "120000"
	submodule  = "160000"
)

// merge merges what became of a file here and there. Why says what hinders it, "" if
// nothing does.
func (s shadow) merge(ctx context.Context, base, here, there version) (merged version, why string, err error) {
	switch {
	case here == there, there == base:
		return here, "", nil
	case here.mode == submodule || there.mode == submodule:
		return here, "is a submodule", nil
	case here == base:
		return there, "", nil
	case base.mode == none:
		return here, "was added here and there", nil
	case here.mode == none:
		return here, "was deleted here, and changed there", nil
	case there.mode == none:
		return here, "was changed here, and deleted there", nil
	case !strings.HasPrefix(base.mode, regular) || !strings.HasPrefix(here.mode, regular) || !strings.HasPrefix(there.mode, regular):
		return here, "is a symbolic link here or there", nil
	}
	merged = here
	if here.mode == base.mode {
		merged.mode = there.mode
	}
	switch {
	case there.blob == base.blob || there.blob == here.blob:
		return merged, "", nil
	case here.blob == base.blob:
		merged.blob = there.blob
		return merged, "", nil
	}
	text, why, err := s.mergeTexts(ctx, here.blob, base.blob, there.blob)
	if why != "" || err != nil {
		return here, why, err
	}
	out, err := s.ask(ctx, question{args: []string{"hash-object", "-w", "--stdin"}, input: text})
	merged.blob = strings.TrimSpace(string(out))
	return merged, "", err
}

// mergeTexts merges three texts. Why says what hinders it.
func (s shadow) mergeTexts(ctx context.Context, blobs ...string) (text []byte, why string, err error) {
	args := []string{"merge-file", "-p", "-q"}
	for i, blob := range blobs {
		path := filepath.Join(s.dir, []string{"here", "base", "there"}[i])
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, "", err
		}
		_, err = s.ask(ctx, question{args: []string{"cat-file", "blob", blob}, output: file})
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, "", err
		}
		args = append(args, path)
	}
	text, err = s.ask(ctx, question{args: args})
	var failed *Failure
	switch {
	case errors.As(err, &failed) && failed.Code > 0 && failed.Code < 128: // how many conflicts
		return nil, "was changed here and there in the same lines", nil
	case errors.As(err, &failed):
		return nil, "was changed here and there, and is no text", nil
	case text == nil:
		text = []byte{} // an input, if an empty one
	}
	return text, "", err
}
