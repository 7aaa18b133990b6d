package served

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/catalogue"
)

// Store keeps lists and fetched skills on disk: a folder for each server, in it list.json
// and a folder for each skill that was fetched, with entry.json and files/.
type Store struct {
	Dir string
	Log *slog.Logger
}

// storeFormat is the version of list.json; another one is ignored.
const storeFormat = 1

// listFile is the content of list.json.
type listFile struct {
	Format  int               `json:"format"`
	Name    string            `json:"name"`
	Origin  string            `json:"origin"`
	Time    time.Time         `json:"time"`
	Entries []json.RawMessage `json:"entries"`
}

// fetchedFile is the content of entry.json.
type fetchedFile struct {
	Time  time.Time       `json:"time"`
	Entry json.RawMessage `json:"entry"`
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func (s Store) folder(k catalogue.Key) string {
	return filepath.Join(s.Dir, names.File(k.Name)+"-"+hash(k.Name+"\x00"+k.Origin))
}

func (s Store) skill(k catalogue.Key, uri string) string {
	return filepath.Join(s.folder(k), hash(uri))
}

// load returns what is known of a server; the first key that has anything counts.
func (s Store) load(keys []catalogue.Key) (list []*Entry, at time.Time, fetched map[string]*Fetched) {
	fetched = make(map[string]*Fetched)
	for _, k := range keys {
		var file listFile
		text, err := os.ReadFile(filepath.Join(s.folder(k), "list.json"))
		if err != nil || json.Unmarshal(text, &file) != nil || file.Format != storeFormat {
			continue
		}
		for _, raw := range file.Entries {
			if e, err := Parse(raw); err == nil {
				list = append(list, e)
			}
		}
		at = file.Time
		dirs, _ := os.ReadDir(s.folder(k))
		for _, d := range dirs {
			var one fetchedFile
			text, err := os.ReadFile(filepath.Join(s.folder(k), d.Name(), "entry.json"))
			if err != nil || json.Unmarshal(text, &one) != nil {
				continue
			}
			if e, err := Parse(one.Entry); err == nil && e.Fault == "" && s.skill(k, e.URI) == filepath.Join(s.folder(k), d.Name()) {
				fetched[e.URI] = &Fetched{Entry: e, Time: one.Time, dir: filepath.Join(s.skill(k, e.URI), "files")}
			}
		}
		return list, at, fetched
	}
	return nil, at, fetched
}

// save stores the list of a server.
func (s Store) save(k catalogue.Key, list []*Entry, at time.Time) error {
	file := listFile{Format: storeFormat, Name: k.Name, Origin: k.Origin, Time: at, Entries: []json.RawMessage{}}
	for _, e := range list {
		file.Entries = append(file.Entries, e.raw)
	}
	text, err := json.Marshal(file)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.folder(k), "list.json"), text)
}

// keep stores a skill that was fetched, and was verified. What was there before is
// replaced; entry.json is written last, so that no half of it counts.
func (s Store) keep(k catalogue.Key, e *Entry, files map[string][]byte, at time.Time) (*Fetched, error) {
	dir := s.skill(k, e.URI)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	for rel, body := range files {
		if err := atomicfile.Write(filepath.Join(dir, "files", filepath.FromSlash(rel)), body); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(fetchedFile{at, e.raw})
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(dir, "entry.json"), text); err != nil {
		return nil, err
	}
	return &Fetched{Entry: e, Time: at, dir: filepath.Join(dir, "files")}, nil
}

// Prune removes what is kept of all servers but those that keep returns true for.
func (s Store) Prune(keep func(catalogue.Key) bool) {
	dirs, _ := os.ReadDir(s.Dir) // none, where nothing is kept
	for _, d := range dirs {
		var file listFile
		dir := filepath.Join(s.Dir, d.Name())
		text, err := os.ReadFile(filepath.Join(dir, "list.json"))
		if err == nil && json.Unmarshal(text, &file) == nil && keep(catalogue.Key{Name: file.Name, Origin: file.Origin}) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			s.Log.Warn("skills of a server that is gone cannot be removed", "folder", dir, "err", err)
		}
	}
}
