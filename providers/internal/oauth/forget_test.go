package oauth

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestForgetAll: all records go; what is left in a keyring that cannot be reached is named.
func TestForgetAll(t *testing.T) {
	s := &store{dir: t.TempDir()}
	for _, key := range []string{"a", "b"} {
		fstest.Must(t, s.save(key, &record{}, &secrets{Access: "secret"}))
	}
	ring := &store{dir: s.dir, ring: kept{}}
	fstest.Must(t, ring.save("c", &record{}, &secrets{Access: "secret"}))
	err := ForgetAll(s.dir, func(string) (string, bool) { return "", false })
	if err == nil || !strings.Contains(err.Error(), `has a login "c"`) || strings.Contains(err.Error(), `"a"`) {
		t.Errorf("%v", err)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "*.json")); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// kept is a keyring that takes everything.
type kept struct{}

func (kept) get(string) (string, error) { return "", errNoSecret }
func (kept) set(string, string) error   { return nil }
func (kept) remove(string) error        { return nil }
