package clients

import (
	"slices"
	"testing"
)

// TestSecrets: what an entry keeps in arguments and addresses is secret, too.
func TestSecrets(t *testing.T) {
	m := Moved{Entry: []byte(`{"command":"npx","args":["-y","server","--token","abc123","--port","808080"],"url":"https://example.org/mcp?key=qwerty1","env":{"A":"correcthorse","B":"${HOME}"}}`)}
	got := m.Secrets()
	slices.Sort(got)
	if want := []string{"abc123", "correcthorse", "qwerty1"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
