package calls

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ctxfs/providers/mcp/policy"
)

// TestUses: the log tells which calls followed a search, without secrets, for each
// session of a client; what does not say so, or is damaged, is passed over.
func TestUses(t *testing.T) {
	dir := t.TempDir()
	l := NewLog(dir)
	at := time.Date(2026, 5, 12, 1, 3, 0, 0, time.UTC)
	record := func(session, tool, wanted string, err error) {
		t.Helper()
		c := &Call{Server: "shop", Tool: tool, Caller: Caller{Via: "gateway", Agent: "desktop", Session: session}, Wanted: wanted}
		if _, err := l.Record(c, Entry{Begun: at}, &Result{}, err); err != nil {
			t.Fatal(err)
		}
	}
	record("a", "search", "cheap laptops for ghp_16C7e42F292c6912E7710c838347Ae178B4a", nil)
	record("a", "buy", "", nil)
	record("b", "buy", "take my money", &policy.DeniedError{})
	record("a", "search", "cheap phones", &UseError{Server: "shop", What: "down"})
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("{\"wanted\":\"x\n{\"tool\":\"search\",\"wanted\":\"half a li")
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	var got []string
	for _, p := range l.Uses() {
		for _, u := range p.Facts {
			got = append(got, fmt.Sprintf("%s %s/%s %q %q %q", p.Name, u.Server, u.Name, u.Want, u.Said, u.Outcome))
		}
	}
	text := strings.Join(got, "\n")
	if strings.Contains(text, "ghp_") || len(got) != 3 {
		t.Fatal(text)
	}
	for i, want := range []string{
		`mcps/calls/desktop/a shop/search "" "cheap laptops for [`,
		`mcps/calls/desktop/a shop/search "" "cheap phones" "failed"`,
		`mcps/calls/desktop/b shop/buy "" "take my money" "denied"`,
	} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("%s, want %s", got[i], want)
		}
	}
}
