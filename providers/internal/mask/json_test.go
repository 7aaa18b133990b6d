package mask

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestJSONBeyondString: a secret that begins in a string and ends elsewhere hides
// no other secret of the text, and JSON stays valid.
func TestJSONBeyondString(t *testing.T) {
	const secret, token = "hunter2secret", "a1b2c3d4e5f6a7b8c9"
	key := `"-----BEGIN RSA PRIVATE` + ` KEY-----\nMIIEowIBAAKCAQEAx1y2z3` + strings.Repeat("aB3", 20) + `"`
	beyond := []string{`"curl -u \"bob:hunter2"`, `["sshpass -p","x1y2z3"]`, key}
	for _, known := range []string{
		`"password":"hunter2secret"`, `"env":{"DB_PASSWORD":"hunter2secret","API_TOKEN":"a1b2c3d4e5f6a7b8c9"}`, `"password": [ "hunter2secret", ["hunter2secret"] ]`,
		`"db_password" : 8675309123`, `"env":[{"name":"DB_PASSWORD","value":"hunter2secret"}]`, `"args":["--password","hunter2secret"]`,
		`"pass\u0077ord":"hunter2secret"`, `"a":{"b":[{"password":"hunter2secret"},{"n":1.5e3,"t":true}]}`, `"token":"a1b2c3d4e5f6a7b8c9"`,
	} {
		for _, b := range beyond {
			for _, text := range []string{
				`{` + known + `,"x":` + b + `}`, `{"x":` + b + `,` + known + `}`, `{"x":` + b + `,` + known + `,"y":` + b + `}`,
				`{"x":` + b + `}` + "\n" + `{` + known + `}` + "\n",
			} {
				got := string(JSON([]byte(text)))
				if strings.Contains(got, secret) || strings.Contains(got, token) || strings.Contains(got, "8675309123") || !valid([]byte(got)) {
					t.Errorf("%s became %s", text, got)
				}
				if again := string(JSON([]byte(got))); again != got && !valid([]byte(again)) {
					t.Errorf("%s became %s", got, again)
				}
			}
		}
	}
	text := `{"n": 12, "say":"the password is set","x":"curl -u \"bob:hunter2","max_tokens": 4096, "a":[true,null,-1.5e9]}`
	var got map[string]any
	if err := json.Unmarshal(JSON([]byte(text)), &got); err != nil || got["n"] != 12.0 || got["say"] != "the password is set" || got["max_tokens"] != 4096.0 || len(got["a"].([]any)) != 3 {
		t.Errorf("%v: %v", got, err)
	}
}
