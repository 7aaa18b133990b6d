package oauth

import (
	"net/http"
	"testing"

	"ctxfs/fs/fstest"
)

func TestChallenge(t *testing.T) {
	for header, want := range map[string]challenge{
		``:                              {},
		`Basic realm="Bearer x=1"`:      {},
		`Bearer`:                        {bearer: true},
		`bearer Scope="a b"`:            {bearer: true, scope: "a b"},
		`Negotiate, Bearer scope=x`:     {bearer: true, scope: "x"},
		`Negotiate abc=, Bearer scope=`: {bearer: true},
		`Bearer error="insufficient_scope", scope="a\"b"`: {bearer: true, code: "insufficient_scope", scope: `a"b`},
		`Basic realm="a, b", Bearer realm="x", resource_metadata="https://x/.well-known/y?a=b,c"`: {
			bearer: true, metadata: "https://x/.well-known/y?a=b,c"},
		`Bearer resource_metadata=https://x/y, scope="z"`: {bearer: true, metadata: "https://x/y", scope: "z"},
		`Bearer scope="not ended`:                         {bearer: true, scope: "not ended"},
		`Bearer scope = "a" , error = b`:                  {bearer: true, scope: "a", code: "b"},
	} {
		fstest.Equal(t, parseChallenge(http.Header{"Www-Authenticate": {header}}), want, header)
	}
	both := http.Header{"Www-Authenticate": {"Basic realm=x", `Bearer scope="y"`}}
	if got := parseChallenge(both); got.scope != "y" {
		t.Errorf("two lines: %+v", got)
	}
}

func FuzzChallenge(f *testing.F) {
	f.Add(`Basic realm="a, b", Bearer realm="x", resource_metadata="https://x/y"`)
	f.Add(`Bearer a="\`)
	f.Fuzz(func(t *testing.T, header string) {
		parseChallenge(http.Header{"Www-Authenticate": {header}})
	})
}
