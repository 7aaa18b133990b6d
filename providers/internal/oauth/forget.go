package oauth

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// ForgetAll deletes all logins that are stored in a folder, with what the system's keyring
// has of them. No client may use the folder meanwhile.
func ForgetAll(dir string, lookupEnv func(string) (string, bool)) error {
	s := &store{dir: dir, ring: systemKeyring(lookupEnv)}
	records, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	var failed []error
	for _, path := range records {
		key := strings.TrimSuffix(filepath.Base(path), ".json")
		rec, err := s.load(key)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if rec.Place == inKeyring && s.ring == nil {
			failed = append(failed, fmt.Errorf("the system keyring has a login %q of the service %q that cannot be reached from here: delete it there", key, keyringService))
		}
		failed = append(failed, s.remove(key, rec))
	}
	return errors.Join(failed...)
}
