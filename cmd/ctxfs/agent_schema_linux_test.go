package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/request"
)

// TestAgentSchema: the schemas that agent schema prints teach the keys in order, in the
// forms of two services.
func TestAgentSchema(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.kinds("", map[string]string{"answers": `echo yes`})
	for command, want := range map[string]string{
		`agent schema | jq -r '.properties | keys_unsorted | join(" ")'`:                  "agent prompt repoDir readOnly worktree timeoutMs schema\n",
		`agent schema | jq -r '.properties.agent.description' | grep -c answers`:          "1\n",
		`agent schema --for openai | jq -r '.type, .function.strict, .function.name'`:     "function\ntrue\nrun_agent\n",
		`agent schema --for openai | jq -r '{type} + .function | .parameters.type'`:       "object\n",
		`agent schema --for anthropic | jq -r '.name, (.input_schema.required | tojson)'`: "run_agent\n[\"agent\",\"prompt\"]\n",
	} {
		if got := b.sh("ctxfs " + command); got != want {
			t.Errorf("%s: %q", command, got)
		}
	}
	b.refused(2, []string{"--for", "gpt"}, "agent", "schema", "--for", "gpt")
	b.refused(2, []string{"--result"}, "agent", "schema", "--result", "--for", "openai")
}

// validate is a program for Node that reads, on its standard input, a schema, and values
// with what they are meant to be. It prints those that are not.
const validate = `
const { schema, examples, values } = JSON.parse(require('fs').readFileSync(0));
const Ajv = require(process.argv[1] + '/dist/2020.js').default;
const valid = new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(schema);
for (const value of (schema.examples ?? []).concat(values))
  if (!valid(value)) console.log(JSON.stringify(value), JSON.stringify(valid.errors));
`

// TestAgentSchemaByAjv: a JSON Schema library in use elsewhere takes the schemas as they
// are, and finds valid what agent run takes and what it prints.
func TestAgentSchemaByAjv(t *testing.T) {
	t.Parallel()
	ajv := filepath.Join(fstest.NodeModules(t, "ajv"), "ajv")
	b := realBox(t) // for a sandbox
	b.kinds("", map[string]string{"answers": `echo yes`, "fails": `exit 3`})
	var questions, answers []json.RawMessage
	for name, want := range map[string]request.Ended{"answers": request.Success, "fails": request.Failure} {
		question := `{"agent": "` + name + `", "prompt": "x", "repoDir": "` + b.home + `", "timeoutMs": 60000}`
		got := b.shell(`echo '` + question + `' | ctxfs agent run --read-only`)
		var r request.Result
		if err := json.Unmarshal([]byte(got.out), &r); err != nil || r.Ended != want {
			t.Fatalf("%v: %+v", err, got)
		}
		questions, answers = append(questions, json.RawMessage(question)), append(answers, json.RawMessage(got.out))
	}
	for _, c := range []struct {
		command, path string
		values        []json.RawMessage
	}{
		{"agent schema", ".", questions},
		{"agent schema --for anthropic", ".input_schema", questions},
		{"agent schema --for openai", ".function.parameters", nil},
		{"agent schema --result", ".", answers},
	} {
		values, err := json.Marshal(append([]json.RawMessage{}, c.values...))
		must(t, err)
		b.write("values.json", string(values))
		b.write("validate.js", validate)
		got := b.shell(`ctxfs ` + c.command + ` | jq '{schema: ` + c.path + `, values: input}' - values.json | node -e "$(cat validate.js)" ` + ajv)
		if got.code != 0 || got.out != "" || got.err != "" {
			t.Errorf("%s: %+v", c.command, got)
		}
	}
}
