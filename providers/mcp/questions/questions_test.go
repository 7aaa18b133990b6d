package questions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/form"
	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/mcp/wire"
)

// watched is a store whose changes can be waited for.
type watched struct {
	*Store
	changed chan struct{} // has a value after a change
}

// change records a change.
func (s *watched) change() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// await waits until a condition holds.
func (s *watched) await(holds func() bool) {
	for !holds() {
		<-s.changed
	}
}

// newAsker returns a store, and a call that is asked in it.
func newAsker(o AskerOptions) (*watched, *Asker) {
	s := &watched{changed: make(chan struct{}, 1)}
	s.Store = NewStore(Options{Now: time.Now, Changed: func(any) { s.change() }})
	if waiting := o.Waiting; waiting != nil {
		o.Waiting = func(is bool) { waiting(is); s.change() }
	}
	if o.Owner == nil {
		o.Owner = "server"
	}
	if o.Limit == 0 {
		o.Limit = time.Minute
	}
	o.Server, o.Tool = "server", "tool"
	if o.Clean == nil {
		o.Clean = func(text string) string { return text }
	}
	return s, s.NewAsker(o)
}

// ask asks in the background, and returns the question and what becomes of it.
func ask(t *testing.T, s *watched, a *Asker, q wire.Question) (Question, <-chan outcome) {
	t.Helper()
	known := make(map[string]bool)
	for _, q := range s.List(nil) {
		known[q.ID] = true
	}
	done := make(chan outcome, 1)
	go func() {
		answer, err := a.Ask(context.Background(), q)
		done <- outcome{answer, err}
	}()
	var asked Question
	s.await(func() bool {
		for _, q := range s.List(nil) {
			if !known[q.ID] {
				asked = q
				return true
			}
		}
		return false
	})
	return asked, done
}

type outcome struct {
	answer form.Answer
	err    error
}

func formOf(schema string) wire.Question {
	return wire.Question{Kind: form.AskForm, Message: "Fill it in", Schema: json.RawMessage(schema)}
}

func words(texts ...string) form.Answer {
	r := form.Answer{Action: form.Accept}
	for _, text := range texts {
		r.Words = append(r.Words, arguments.Word{Text: text})
	}
	return r
}

// TestForms answers forms of many kinds: what is given, what reaches the server, or
// why not.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		schema string
		reply  form.Answer
		want   string // the content, or a part of the error
	}{
		"numbers": {
			`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"number","minimum":1}}}`,
			words("--a", "12345678901234567890", "--b", "1.50"), `{"a":12345678901234567890,"b":1.50}`,
		},
		"too small": {
			`{"type":"object","properties":{"b":{"type":"number","minimum":1}}}`, words("--b", "0"), "--b must be at least 1",
		},
		"no": {
			`{"type":"object","properties":{"sure":{"type":"boolean"}}}`, words("--no-sure"), `{"sure":false}`,
		},
		"a list of titled values": {
			`{"type":"object","properties":{"fish":{"type":"array","items":{"anyOf":[{"const":"t","title":"Tuna"},{"const":"s","title":"Salmon"}]}}}}`,
			words("--fish", "t", "--fish", "s"), `{"fish":["t","s"]}`,
		},
		"a definition": {
			`{"type":"object","properties":{"size":{"$ref":"#/$defs/Size"}},"$defs":{"Size":{"enum":["S","M"],"type":"string"}}}`,
			words("--size", "L"), "--size must be one of S, M",
		},
		"defaults": {
			`{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"string"}},"required":["a","b"]}`,
			words("--b", "y"), `{"b":"y","a":"x"}`,
		},
		"JSON": {
			`{"type":"object","properties":{"a":{"type":"string"}}}`, form.Answer{Action: form.Accept, Content: json.RawMessage(`{"a":"x"}`)}, `{"a":"x"}`,
		},
		"JSON that does not fit": {
			`{"type":"object","properties":{"a":{"type":"string"}}}`, form.Answer{Action: form.Accept, Content: json.RawMessage(`{"a":1}`)}, `"a" must be a string`,
		},
		"a missing one": {
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, words(), `missing "a"`,
		},
		"an email address": {
			`{"type":"object","properties":{"a":{"type":"string","format":"email"}}}`, words("--a", "Ann <ann@example.com>"), "--a must be an email address",
		},
		"a time": {
			`{"type":"object","properties":{"a":{"type":"string","format":"date-time"}}}`, words("--a", "2026-02-30T08:00:00Z"), "--a must be a date and time",
		},
		"values of a refusal": {
			`{"type":"object","properties":{"a":{"type":"string"}}}`, form.Answer{Action: form.Decline, Content: json.RawMessage(`{"a":"x"}`)}, "takes no values",
		},
		"no action": {`{"type":"object","properties":{}}`, form.Answer{Action: "maybe"}, `"maybe" is no answer`},
	} {
		t.Run(name, func(t *testing.T) {
			s, a := newAsker(AskerOptions{})
			q, done := ask(t, s, a, formOf(c.schema))
			_, err := s.Answer(q.ID, c.reply)
			if err != nil {
				fix, ok := err.(interface{ Fix() string })
				if !strings.Contains(err.Error(), c.want) || !ok || fix.Fix() == "" {
					t.Errorf("%v, not %s", err, c.want)
				}
				s.Close()
				if o := <-done; !errors.Is(o.err, errWithdrawn) {
					t.Errorf("%+v", o)
				}
				return
			}
			if o := <-done; o.err != nil || o.answer.Action != form.Accept || string(o.answer.Content) != c.want {
				t.Errorf("%s, %v, not %s", o.answer.Content, o.err, c.want)
			}
		})
	}
}

// TestWithdrawnByTheServersEnd: a question whose server is being ended ends with its
// request, and the server gets no answer before.
func TestWithdrawnByTheServersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := newAsker(AskerOptions{})
		ctx, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := a.Ask(ctx, formOf(`{"type":"object","properties":{}}`))
			done <- err
		}()
		synctest.Wait()
		s.Withdraw("server")
		synctest.Wait()
		if all := s.List(nil); len(all) > 0 || len(done) > 0 {
			t.Errorf("%+v are open, %d answers", all, len(done))
		}
		end()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestAnAnswerJustInTime counts, since the user was told that it does: the time may be up
// when it is taken.
func TestAnAnswerJustInTime(t *testing.T) {
	for range 50 { // which of the two is seen first is left to chance
		s, a := newAsker(AskerOptions{Limit: time.Nanosecond})
		q := &openQuestion{asker: a, answer: make(chan form.Answer, 2)}
		shown, err := s.add(a, q, time.Minute)
		if err == nil {
			_, err = s.Answer(shown.ID, form.Answer{Action: form.Decline})
		}
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := s.wait(t.Context(), q); err != nil || answer.Action != form.Decline {
			t.Fatal(answer, err)
		}
	}
}

// TestDrafts: the values of some fields are checked by themselves, and the question
// stays open.
func TestDrafts(t *testing.T) {
	s, a := newAsker(AskerOptions{})
	q, done := ask(t, s, a, formOf(`{"type":"object","properties":{"name":{"type":"string"},"size":{"$ref":"#/$defs/Size"},`+
		`"day":{"type":"string","format":"date"}},"required":["name","size"],"$defs":{"Size":{"enum":["S","M"],"type":"string"}}}`))
	for content, want := range map[string]string{
		`{"name":"x"}`: "", `{"size":"S"}`: "", `{"day":"2026-01-31"}`: "", `{}`: "",
		`{"name":1}`: `"name" must be a string`, `{"size":"L"}`: `"size" must be one of S, M`, `{"day":"tomorrow"}`: "--day must be a date",
		`{"other":1}`: "", // the whole answer is what it is judged by
	} {
		_, err := s.Answer(q.ID, form.Answer{Action: form.Accept, Content: json.RawMessage(content), Draft: true})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", content, err, want)
		}
	}
	if open := s.List(nil); len(open) != 1 {
		t.Errorf("open: %v", open)
	}
	s.Close()
	<-done
}

// TestSecretFields finds those that ask for secrets, and no others.
func TestSecretFields(t *testing.T) {
	field := func(name, more string) string { return fmt.Sprintf(`%q:{"type":"string"%s}`, name, more) }
	for _, c := range []struct {
		message, fields, want string
	}{
		{"Log in", field("user", "") + "," + field("password", ""), "password"},
		{"Log in", field("apiKey", "") + "," + field("API_TOKEN", "") + "," + field("name", ""), "apiKey API_TOKEN"},
		{"Log in", field("code", `,"title":"One-time code"`), "code"},
		{"Log in", field("x", `,"description":"Your access token, from the settings"`), "x"},
		{"Log in", field("x", `,"format":"password"`), "x"},
		{"Log in", `"pin":{"type":"integer"}`, "pin"},
		{"Please enter your passphrase", field("value", "") + `,"remember":{"type":"boolean"}`, "value"},
		{"Set it", field("p", `,"description":"Your PIN"`) + "," + field("q", `,"title":"Pin"`) + "," + field("cardPin", ""), "p q cardPin"},
		{"Notes", `"n":{"type":"integer","description":"how many notes to pin"}` + "," + field("pin_note", `,"description":"the note to pin"`), ""},
		{"How many tokens may it use?", `"tokens":{"type":"integer"}`, ""},
		{"Which branch?", field("branch", "") + "," + field("next_page_token", ""), ""},
		{"Number", field("n", `,"description":"any number (do not give us your pin)"`), ""},
		{"Password policy", field("policy", `,"enum":["weak","strong"]`), ""},
	} {
		fields := fieldsOf(json.RawMessage(`{"type":"object","properties":{`+c.fields+`}}`), nil)
		if got := strings.Join(secretFields(c.message, fields), " "); got != c.want {
			t.Errorf("%s: %q of %s, not %q", c.message, got, c.fields, c.want)
		}
	}
}

// TestSecretWarning names fields without what a terminal would obey.
func TestSecretWarning(t *testing.T) {
	if got := secretWarning([]string{"api\x1b[2JKey\n", "b"}); strings.ContainsAny(got, "\x1b\n") || !strings.Contains(got, "(apiKey, b)") {
		t.Errorf("%q", got)
	}
}

// TestAnswerCommands are commands that a shell takes.
func TestAnswerCommands(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a","b"]}`, "--a TEXT --b NUMBER"},
		{`{"type":"object","properties":{"when":{"type":"string","format":"date"}},"required":["when"]}`, "--when DATE"},
		{`{"type":"object","properties":{"a":{"type":"boolean"}}}`, "--a 'true|false'"},
		{`{"type":"object","properties":{}}`, "--accept"},
		{`{"type":"object","properties":{"decline":{"type":"string"}},"required":["decline"]}`, `'{"decline": "TEXT"}'`},
		{`{"type":"object","properties":{"a; rm -rf":{"type":"array","items":{"type":"string","enum":["x"]}}},"required":["a; rm -rf"]}`, `'{"a; rm -rf": ["x"]}'`},
	} {
		q := Question{form.Question{ID: "qx", Kind: form.AskForm, Schema: json.RawMessage(c.schema)}}
		if got := strings.TrimPrefix(q.answerCommand(), "ctxfs answer qx "); got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}

// TestAnswersAreTakenOut of texts, as they are and as JSON, but not as parts of
// words.
func TestAnswersAreTakenOut(t *testing.T) {
	values := []value{{"Ann", true}, {`a "quoted" text`, false}, {"12345678", false}, {"xy", false}}
	for _, c := range []struct{ text, want string }{
		{"Ann and Anna, Ann.", "[answered] and Anna, [answered]."},
		{`{"a":"a \"quoted\" text"}`, `{"a":"[answered]"}`},
		{"x12345678x", "x[answered]x"},
		{"xy", "xy"},
	} {
		if got := withoutAnswers(c.text, values, false); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
	if got := withoutAnswers("Ann 12345678", values, true); got != "[answered] 12345678" {
		t.Error(got)
	}
}

// TestBounds of questions: those of a server, and those of a call.
func TestBounds(t *testing.T) {
	s, a := newAsker(AskerOptions{})
	const schema = `{"type":"object","properties":{"a":{"type":"string"}}}`
	var all sync.WaitGroup
	defer all.Wait()
	defer s.Close()
	more := func(of *Asker, n int) {
		before := len(s.List(nil))
		for range n {
			all.Go(func() { _, _ = of.Ask(context.Background(), formOf(schema)) })
		}
		s.await(func() bool { return len(s.List(nil)) == before+n })
	}
	more(a, maxOfCall)
	if _, err := a.Ask(context.Background(), formOf(schema)); err == nil || !strings.Contains(err.Error(), "of this call wait already") {
		t.Error(err)
	}
	for range maxOpen/maxOfCall - 1 {
		more(s.NewAsker(a.opts), maxOfCall)
	}
	if _, err := s.NewAsker(a.opts).Ask(context.Background(), formOf(schema)); err == nil || !strings.Contains(err.Error(), "of this server wait already") {
		t.Error(err)
	}
	if notes := a.Notes(); len(notes) != 1 {
		t.Errorf("%q", notes)
	}
	a.Close()
	if n := len(s.List(nil)); n != maxOpen-maxOfCall {
		t.Errorf("%d questions", n)
	}
	other := AskerOptions{Owner: "another", Limit: time.Minute, Clean: a.opts.Clean}
	more(s.NewAsker(other), 1)
}

// TestAnAddress waits, once it is opened, until the server says that it is done.
func TestAnAddress(t *testing.T) {
	var waits []bool
	s, a := newAsker(AskerOptions{Waiting: func(is bool) { waits = append(waits, is) }})
	done := make(chan struct{})
	q, came := ask(t, s, a, wire.Question{Kind: form.AskURL, Message: "Log in", URL: "https://user:x@example.com/in", ID: "e", Done: done})
	if q.Host != "example.com" || !strings.Contains(q.Warning, "the host is example.com") {
		t.Errorf("%+v", q)
	}
	if _, err := s.Answer(q.ID, words("--a", "b")); err == nil {
		t.Error("an address takes no values")
	}
	if is, err := s.Answer(q.ID, form.Answer{Action: form.Accept}); err != nil || !is.Opened {
		t.Errorf("%+v, %v", is, err)
	}
	if o := <-came; o.err != nil || o.answer.Action != form.Accept {
		t.Errorf("%+v", o)
	}
	if all := s.List(nil); len(all) != 1 || !all[0].Opened || len(a.Open()) != 0 {
		t.Errorf("%+v", all)
	}
	if _, err := s.Answer(q.ID, form.Answer{Action: form.Accept}); err == nil || !strings.Contains(err.Error(), "waits for the server") {
		t.Error(err)
	}
	close(done)
	s.await(func() bool { return len(s.List(nil)) == 0 })
	s.await(func() bool { // the call no longer waits
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(waits) == 2 && waits[0] && !waits[1]
	})
	for _, bad := range []string{"file:///etc/passwd", "javascript:alert(1)", "https://", "https://x/\u202e", "ctxfs://x/y"} {
		if _, err := a.Ask(context.Background(), wire.Question{Kind: form.AskURL, URL: bad}); err == nil {
			t.Error(bad)
		}
	}
}

// TestSampling runs the command only after somebody has agreed.
func TestSampling(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	sampling := NewSampling(dir, os.Environ)
	defer sampling.Close()
	request := json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"Why?"}},{"role":"user","content":{"type":"image"}}],"systemPrompt":"Be brief."}`)
	for name, c := range map[string]struct {
		script, want, fault string
	}{
		"answer":  {"touch " + ran + "; grep -o Why; echo 'because\x1b[31m'", "Why\nbecause", ""},
		"failure": {"echo no key >&2; exit 3", "", "has failed: exit status 3: no key"},
		"nothing": {"true", "", "has written nothing"},
		"flood":   {"yes", "", "has written more than 1"},
	} {
		t.Run(name, func(t *testing.T) {
			sampling.Set([]string{"sh", "-c", c.script}, 0)
			s, a := newAsker(AskerOptions{Sample: sampling.Answer()})
			q, done := ask(t, s, a, wire.Question{Kind: form.AskSampling, Request: request})
			if q.Message != "system: Be brief.\nuser: Why?\nuser: [image]" || q.Answer != "ctxfs answer "+q.ID+" --accept" {
				t.Errorf("%+v", q)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("it ran unasked")
			}
			if _, err := s.Answer(q.ID, form.Answer{Action: form.Accept}); err != nil {
				t.Fatal(err)
			}
			o := <-done
			os.Remove(ran)
			if c.fault != "" {
				if notes := strings.Join(a.Notes(), ""); o.err == nil || !strings.Contains(notes, c.fault) {
					t.Errorf("%v, %s", o, notes)
				}
				return
			}
			var result struct {
				Role, Model string
				Content     struct{ Type, Text string }
			}
			if err := json.Unmarshal(o.answer.Content, &result); err != nil || result.Content.Text != c.want || result.Role != "assistant" || result.Model != "sh" {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
	s, a := newAsker(AskerOptions{Sample: sampling.Answer()})
	q, done := ask(t, s, a, wire.Question{Kind: form.AskSampling, Request: request})
	if _, err := s.Answer(q.ID, form.Answer{Action: form.Decline}); err != nil {
		t.Fatal(err)
	}
	if o := <-done; o.answer.Action != form.Decline {
		t.Errorf("%+v", o)
	}
	_, a = newAsker(AskerOptions{})
	if answer, err := a.Ask(context.Background(), wire.Question{Kind: form.AskSampling, Request: request}); err != nil || answer.Action != form.Decline || len(a.Notes()) != 1 {
		t.Errorf("%+v, %v, %q", answer, err, a.Notes())
	}
}

// TestManyAnswers: of any number of answers at once, one counts.
func TestManyAnswers(t *testing.T) {
	s, a := newAsker(AskerOptions{})
	for range 20 {
		q, done := ask(t, s, a, formOf(`{"type":"object","properties":{"a":{"type":"integer"}}}`))
		var all sync.WaitGroup
		var mu sync.Mutex
		taken := 0
		for i := range 8 {
			all.Go(func() {
				if _, err := s.Answer(q.ID, words("--a", fmt.Sprint(i))); err == nil {
					mu.Lock()
					taken++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if o := <-done; taken != 1 || o.answer.Action != form.Accept {
			t.Errorf("%d answers, %+v", taken, o)
		}
	}
}

// TestSchemasThatAreNoForms are refused, with the reason.
func TestSchemasThatAreNoForms(t *testing.T) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 40) + `{}` + strings.Repeat("}}", 40)
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `"f%d":{"type":"string"},`, i)
	}
	object := func(rest string) string { return `{"type":"object",` + rest + `}` }
	const refers = "the schema of the form refers to itself, or to another document"
	for _, c := range []struct{ schema, want string }{
		{object(`"properties":{"a":{"type":"string"}},"required":["a"]`), ""},
		{object(`"properties":{"a":{"$ref":"#/$defs/Colour"},"b":{"$ref":"#/$defs/Colour"}},"$defs":{"Colour":{"enum":["red"]}}`), ""},
		{object(`"properties":{"$ref":{"type":"string"}}`), ""},
		{`{"type":"object"}`, ""},
		{`[]`, "is not one of an object"},
		{`"a"`, "is not one of an object"},
		{object(`"properties":{` + strings.TrimSuffix(many.String(), ",") + `}`), "the form has 1000 fields; 100 are allowed"},
		{deep, "is nested too deeply"},
		{object(`"properties":{"a":{"$ref":"#"}}`), refers},
		{object(`"properties":{"a":{"$dynamicRef":"#meta"}}`), refers},
		{object(`"properties":{"a":{"$ref":"https://example.com/schema"}}`), refers},
		{object(`"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":{"$ref":"#/$defs/A"}}}}`), refers},
		{object(`"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"items":{"$ref":"#/$defs/B"}},"B":{"anyOf":[{"$ref":"#/$defs/A"}]}}`), refers},
		{object(`"properties":{"a":{"enum":["` + strings.Repeat("x", maxSchema) + `"]}}`), "131.1 KB are allowed"},
	} {
		err := checkForm(json.RawMessage(c.schema))
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.100s: %v, not %s", c.schema, err, c.want)
		}
	}
}

func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":"string","enum":["x"],"enumNames":["X"]}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"const":1}]},"default":[1]}},"$defs":{"b":{}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, `{"type":"object","properties":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		if checkForm(schema) != nil {
			return
		}
		q := Question{form.Question{ID: "q", Kind: form.AskForm, Schema: schema}}
		q.Secrets = secretFields(q.Message, q.FieldList())
		if command := q.answerCommand(); strings.ContainsAny(command, "\x00\x1b") {
			t.Errorf("%q", command)
		}
		_, _ = q.fill(nil, nil)
	})
}
