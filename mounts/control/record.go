package control

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Record is what the file daemon.json tells of the background process, to
// people and to scripts. The server adds what it shows.
type Record struct {
	Pid     int       `json:"pid"`
	Version string    `json:"version"`
	Since   time.Time `json:"since"`
	Socket  string    `json:"socket"`
	Home    string    `json:"home"`
	// Host is the machine; home folders may be on several.
	Host string `json:"host"`
}

const recordName = "daemon.json"

// ReadRecord decodes the record of the process that serves, or, where it was
// killed, that of the last one.
func (h Home) ReadRecord(into any) error {
	var all error
	for _, folder := range h.Folders() {
		if !h.trusted(folder) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(folder, recordName))
		if err == nil {
			return json.Unmarshal(body, into)
		}
		all = errors.Join(all, err)
	}
	return errors.Join(errors.New("no background process has left a record"), all)
}

// record is the Record of the process that serves, as far as it is known.
func (h Home) record() Record {
	var r Record
	_ = h.ReadRecord(&r) // then nothing is known
	return r
}

// replaceFile writes a file at once or not at all.
func replaceFile(path string, body []byte) error {
	err := os.WriteFile(path+".tmp", body, 0o600)
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		os.Remove(path + ".tmp")
	}
	return err
}
