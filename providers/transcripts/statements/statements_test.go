package statements

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// block returns a block of a transcript.
func block(heading, body string) string {
	return "### [0b0e2bd1/00001] 2026-05-12T01:03:00Z " + heading + "\n" + body + "\n\n"
}

func read(t *testing.T, text string) []facts.Statement {
	t.Helper()
	all, err := Read(strings.NewReader("# head\n\n" + text))
	fstest.Must(t, err)
	return all
}

// TestLanguages: in each language rules, preferences, corrections and decisions are told
// apart, and questions, instructions for the moment and talk are none of them.
func TestLanguages(t *testing.T) {
	for kind, sentences := range map[string][]string{
		"rule": {
			"Always run the linter before you push", "never commit generated files", "ok, and please never touch the vendor folder",
			"From now on write the tests first", "We use pnpm, not npm", "We don't mock the database in tests", "You must never push to main",
			"All errors must be wrapped with context", "Don't delete anything without asking me", "This project uses tabs",
			"Before every commit run make fmt", "Run make fmt before every commit", "Whenever you change the schema, run make gen", "invalid themes must NEVER explode",
			"Our convention is to name branches after the ticket", "No console logs!",
			"stop adding comments to the code", "do not create new markdown files", "don't use emojis", "avoid global state", "Don't commit anything until I say so",
			"Remember to always run the type checker", "We are using tailwind v4, not v3", "Rule: all dates in UTC", "in future please ask before you delete files", "in this repo we use jj instead of git",
			"benutze keine Emojis", "bitte keine Kommentare im Code", "no uses comentarios en el código", "n'utilise pas d'emojis", "não adicione comentários no código",
			"不要添加注释", "以后每次改完都要跑测试", "コメントを追加しないでください", "не добавляй комментарии",
			"Führe die Tests immer vor dem Commit aus", "Ab jetzt bitte alles auf Englisch kommentieren", "Wir verwenden pnpm und kein npm", "Nie direkt auf main pushen",
			"Alle Fehler müssen geloggt werden", "Lösche nichts ohne mich vorher zu fragen",
			"Siempre ejecuta las pruebas antes del commit", "Nunca subas archivos generados", "De ahora en adelante escribe primero las pruebas", "Usamos pnpm en lugar de npm",
			"Todos los errores deben registrarse en el log",
			"Lance toujours les tests avant de pousser", "Ne modifie jamais le dossier vendor", "Désormais écris les tests d'abord", "Nous utilisons pnpm et pas npm", "Toutes les erreurs doivent être journalisées",
			"Sempre rode os testes antes do commit", "Nunca altere a pasta vendor", "A partir de agora escreva os testes primeiro", "Nós usamos pnpm neste repositório", "Todos os erros devem ir para o log",
			"提交代码前必须先运行测试", "从现在开始都用英文写注释", "我们使用pnpm而不是npm", "永远不要直接推送到main分支",
			"コミットの前に必ずテストを実行してください", "今後はコメントを英語で書いてください", "このプロジェクトではpnpmを使っています", "mainに直接プッシュしてはいけません",
			"Всегда запускай тесты перед коммитом", "Никогда не пушь прямо в main", "Отныне пиши комментарии на английском", "Мы используем pnpm, npm здесь запрещён", "Все ошибки должны попадать в лог",
		},
		"preference": {
			"I prefer small commits with one subject each", "I'd rather have one long function than five tiny ones", "I hate it when you rename things on the way", "please use the british spelling", "Please keep the answers short", "answer me in German please",
			"Ich bevorzuge kleine Commits mit einem Thema", "Antworte mir bitte auf Deutsch",
			"Prefiero commits pequeños con un solo tema", "Responde en español por favor", "Je préfère de petits commits", "Réponds en français", "Prefiro commits pequenos e claros", "Responda em português",
			"我更喜欢简短的提交信息", "请用中文回答", "日本語で答えてください", "短いコミットの方が好きです", "Я предпочитаю короткие коммиты", "Отвечай на русском",
		},
		"correction": {
			"No, don't mock the whole store, only its clock", "don't use confirm(), use prompt()", "I said the file must not be touched", "use the real server instead of a mock",
			"That's wrong, the port comes from the environment", "you should have asked before you deleted it", "use rgb values in the themes, no rgb indices",
			"Nein, der Port kommt aus der Umgebung", "Nimm den echten Server statt eines Mocks", "Ich habe doch gesagt, dass du die Datei nicht anfassen sollst",
			"No, el puerto viene del entorno con esa variable", "Usa el servidor real en lugar de un mock", "Non, le port vient de l'environnement", "Utilise le vrai serveur au lieu d'un mock",
			"Não, a porta vem do ambiente", "Use o servidor real em vez de um mock", "不对，端口来自环境变量", "不要用mock，而是用真实的服务器", "いいえ、ポートは環境変数から取ります",
			"モックではなく本物のサーバーを使ってください", "Нет, порт берётся из окружения", "Используй настоящий сервер вместо мока",
		},
		"decision": {
			"let's go with SQLite for the cache", "we decided to drop support for Node 16", "We'll use feature flags for the new parser", "the footer should turn red above ninety percent",
			"Wir bleiben bei SQLite für den Cache", "Decidimos usar SQLite para la caché", "On a décidé de garder SQLite", "Vamos usar SQLite para o cache", "我们决定使用SQLite做缓存", "キャッシュはSQLiteにしましょう", "Мы решили остаться на SQLite",
		},
		"": {
			"fix the tests", "now always run the test again", "run the tests again", "Should we always run the linter?", "why is it never called", "never mind", "it always returns colors",
			"yes, do it", "no, thanks", "no, that's fine, go ahead with it", "let's go with option A", "I prefer that", "let's keep it simple for now", "don't forget this", "this test always fails here",
			"we used it before", "the build must be stale", "can you always use tabs", "I never saw this file", "the server always crashes on start", "every time I run it, it crashes",
			"do you prefer tabs", "add a test for this", "rename it to x", "maybe we should always log it", "commit this", "they said it should never happen",
			"Warum läuft das immer noch nicht", "jetzt nochmal die Tests laufen lassen", "nein danke, passt schon so", "mach das bitte jetzt", "¿por qué siempre falla esto?", "ahora ejecuta las pruebas otra vez",
			"pourquoi ça échoue toujours", "lance les tests encore une fois", "agora rode os testes de novo", "por que sempre falha aqui", "为什么总是失败", "现在再运行一次测试", "なぜ必ず失敗するのですか", "もう一度テストを実行して", "почему всегда падает тест", "запусти тесты ещё раз",
			"/always use tabs everywhere", "let's use a different approach", "let's go with your recommendation", "the page should load faster", "don't push yet", "stop using that",
			"you should check the logs", "I'd rather not", "I have chosen the blue one", "I prefer your first version", "the problem was that I had the wrong branch checked out", "the function should return a list", "You must be joking",
			"don't stop until all tests pass", "don't worry about backwards compatibility", "let's not do that", "no, it still fails with the same error", "never worked for me", "This project is a mess", "after each step, stop and wait", "I want to see the logs", "do not touch it", "mach das nie wieder so", "nein, das ist falsch", "不要修改这个文件",
		},
	} {
		for _, sentence := range sentences {
			got, want := "", kind
			for _, s := range read(t, block("user", sentence)) {
				got = s.Kind
			}
			fstest.Equal(t, got, want, sentence)
		}
	}
}

// TestWhoSaidIt: a person's own words count, and nothing else.
func TestWhoSaidIt(t *testing.T) {
	const rule = "always send the report to me"
	for _, c := range []struct{ name, text, want string }{
		{"a person", block("user", rule), "rule"},
		{"while the agent worked", block("user queued", rule), "rule"},
		{"the agent's program", block("user injected", rule), ""},
		{"another program", block("user sdk", rule), ""},
		{"a subagent's task", block("user agent=a1b2c", rule), ""},
		{"the agent", block("assistant", rule), ""},
		{"thinking", block("thinking", "The issue is that the old Node ignores this flag"), ""},
		{"a result", block("tool-result Read call=0", rule), ""},
		{"a role", block("user", "You are a helpful reviewer.\n"+rule), ""},
		{"a quotation", block("user", "> "+rule+"\nwhat does this mail mean"), ""},
		{"a long quotation", block("user", `translate "please always send the whole report to me" to French`), ""},
		{"code", block("user", "why\n```\n"+rule+"\n```"), ""},
		{"markup", block("user", "<system-reminder>\n"+rule+"\n</system-reminder>\nhello there"), ""},
		{"a pasted text", block("user", "sum this up\n"+strings.Repeat(rule+"\n", 60)+"in two lines"), ""},
		{"a placeholder", block("user", "add --log <file> to it. "+rule), "rule"},
		{"an agent's decision", block("assistant", "I decided to keep SQLite because the lists need transactions."), ""},
		{"twice", block("user", rule) + block("user", strings.ToUpper(rule)), "rule"},
	} {
		var got []string
		for _, s := range read(t, c.text) {
			got = append(got, s.Kind)
		}
		fstest.Equal(t, strings.Join(got, ", "), c.want, c.name, got)
	}
}

// TestWhatIsSaidOfAStatement: where and when it was made is known.
func TestWhatIsSaidOfAStatement(t *testing.T) {
	all := read(t, block("assistant", "Done. I mocked the whole store.")+
		"### [0b0e2bd1/00007] 2026-05-12T02:03:04Z user\nNo, don't mock the whole store, only its clock!\n\n")
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	got := fmt.Sprintf("%s|%s|%s", all[0].Text, all[0].Anchor, all[0].Time.Format("15:04:05"))
	fstest.Equal(t, "No, don't mock the whole store, only its clock|0b0e2bd1/00007|02:03:04", got)
}

// TestSecretsAreNoStatements: what has a secret in it is left out as a whole.
func TestSecretsAreNoStatements(t *testing.T) {
	for _, text := range []string{"always use the token ghp_" + strings.Repeat("aB3x", 9), "always log in with password [REDACTED:secret] here"} {
		if all := read(t, block("user", text)); len(all) != 0 {
			t.Errorf("%q: %+v", text, all)
		}
	}
}

// TestHostileTexts: a transcript of any shape is read in bounded memory, in pieces of
// any size, and there are never more than some statements of it.
func TestHostileTexts(t *testing.T) {
	text := block("user", "always use tabs here") + block("user", strings.Repeat("never stop ", 1<<20)) + block("user", strings.Repeat("<a ", 4000)+strings.Repeat(`"`, 4000)) +
		block("user", "\xff\xfe always use \x1b[31mtabs\u202e and\u200b spaces")
	for i := range 2 * mostStatements {
		text += block("user", fmt.Sprintf("always keep the number %d in mind", i))
	}
	whole := read(t, text)
	pieces, err := Read(iotest.HalfReader(strings.NewReader("# head\n\n" + text)))
	if err != nil || len(whole) != mostStatements || fmt.Sprint(whole) != fmt.Sprint(pieces) {
		t.Errorf("%d and %d, %v", len(whole), len(pieces), err)
	}
	if all := read(t, block("user", "always use \x1b[31mtabs\u202e and\u200b spaces")); len(all) != 1 || all[0].Text != "always use tabs and spaces" {
		t.Errorf("%+v", all)
	}
}

// FuzzRead: no transcript is read wrongly.
func FuzzRead(f *testing.F) {
	f.Add(block("user", "always use tabs"))
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Read(strings.NewReader(text))
		fstest.Must(t, err)
		for _, s := range all {
			if s.Kind == "" || len(s.Text) > mostText || strings.ContainsAny(s.Text, "\n\x1b\u202e") {
				t.Errorf("%+v", s)
			}
		}
	})
}
