package agentrunner

import (
	"encoding/json"
	"reflect"
	"testing"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/mounts"
	"ctxfs/providers/transcripts"
)

// TestOperations: what is asked here is what the background process answers.
func TestOperations(t *testing.T) {
	for here, there := range map[any]any{
		fs.Op[fs.None, fs.None]{Name: opStatus.Name, Slow: opStatus.Slow, Effect: opStatus.Effect}: fs.Op[fs.None, fs.None]{Name: mounts.OpStatus.Name, Slow: mounts.OpStatus.Slow, Effect: mounts.OpStatus.Effect},
		fs.Op[fs.None, fs.None]{Name: opList.Name, Slow: opList.Slow, Effect: opList.Effect}:       fs.Op[fs.None, fs.None]{Name: usertree.OpList.Name, Slow: usertree.OpList.Slow, Effect: usertree.OpList.Effect},
		fs.Op[fs.None, fs.None]{Name: opSpent.Name, Slow: opSpent.Slow, Effect: opSpent.Effect}:    fs.Op[fs.None, fs.None]{Name: transcripts.OpSpent.Name, Slow: transcripts.OpSpent.Slow, Effect: transcripts.OpSpent.Effect},
	} {
		if here != there {
			t.Errorf("%+v is not %+v", here, there)
		}
	}
	var list []struct{}
	var s status
	var got spent
	var path usertree.PathQuery
	var wanted transcripts.Wanted
	read := func(from, into any) {
		t.Helper()
		body, err := json.Marshal(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, into); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	read(mounts.ServerInfo{Mounts: []mounts.ViewInfo{{Dir: "/a"}, {Dir: "/b"}}}, &s)
	read([]usertree.Entry{{Name: "a"}, {Name: "b"}}, &list)
	read(transcripts.SessionSpent{Requests: 2, Tokens: facts.Tokens{Input: 3}, Cost: 4}, &got)
	read(pathQuery{"a"}, &path)
	read(sessionQuery{"a"}, &wanted)
	if len(s.Mounts) != 2 || s.Mounts[1].Dir != "/b" || len(list) != 2 || !reflect.DeepEqual(got, spent{2, facts.Tokens{Input: 3}, 4}) || path.Path != "a" || wanted.Session != "a" {
		t.Errorf("%+v, %+v, %+v, %+v, %+v", s, list, got, path, wanted)
	}
}
