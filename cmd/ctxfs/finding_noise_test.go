package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// chance makes up texts that say nothing anybody asks for, in the words of the
// same projects. The same name gives the same texts.
type chance struct{ *rand.Rand }

func newChance(name string) *chance {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &chance{rand.New(rand.NewPCG(h.Sum64(), 14))}
}

func (c *chance) of(words []string) string { return words[c.IntN(len(words))] }

// topics are what people talk about in a project.
type topics struct {
	parts    []string // of the program
	files    []string
	commands []string
	speech   *speech
}

// speech is how they talk: with %s for a part, %f for a file and %n for a number.
type speech struct{ asks, finds, fixes, replies []string }

var (
	english = &speech{
		asks: []string{
			"%s shows the old value after saving, only a reload helps", "can you add a loading state to %s", "pls rename the confusing things in %s, nobody understands them",
			"%s is slow when there are more than %n entries", "write tests for %s, there are none", "what does %f do exactly? explain it to me",
			"%s looks broken on small screens", "add a log line when %s fails", "%s must remember the last choice of the user",
			"split %f, it has become too long", "why is there a retry in %s", "can we cache what %s returns", "we need a limit for %s, say %n per minute",
			"document %s in the readme", "%s returns 500 when the list is empty", "remove the feature flag around %s, it is on for everybody",
			"sort %s by date, newest first", "the timeout in %s is too short, double it", "make %s work without network", "review my branch, its about %s",
		},
		finds: []string{
			"%s keeps its state in a module variable in %f.", "The handler in %f ignores the second argument.", "There are %n callers of %s, all but two in tests.",
			"%f has a comment that says this is temporary, from last year.", "The query behind %s reads %n rows where 20 would do.", "Nothing checks for an empty list in %f.",
			"I looked at %f: the event arrives before %s is ready.", "%s is rendered twice since both parents subscribe.", "The cache of %s is keyed by name, and names are not unique.",
		},
		fixes: []string{
			"Changed %f so that %s is read again after a write.", "I moved the check into %f and added two tests.", "%s now has its own type, and %f is %n lines shorter.",
			"The limit is a constant at the top of %f now.", "I added pagination to %s with %n per page.", "The log line names the request and how long it took.",
			"I extracted the shared part of %s into %f.", "Done: %s waits for the first answer only.", "README has a section on %s now, with an example.",
		},
		replies: []string{"ok thanks", "good, commit it", "no, keep it simpler", "hm, does that also work for the other one?", "please run the tests first", "nice", "and push", "not like that, look how we did it before", "fine for now"},
	}
	german = &speech{
		asks: []string{
			"%s zeigt nach dem Speichern noch den alten Wert", "Kannst du %s nach Datum sortieren?", "Bei %s fehlt eine Fehlermeldung, wenn die Liste leer ist", "Bitte schreib Tests für %s",
			"%s ist zu langsam bei mehr als %n Einträgen", "Was macht %f genau?", "Die Beschriftung in %s ist falsch geschrieben",
		},
		finds:   []string{"In %f wird der Zwischenspeicher nicht geleert.", "%s lädt %n Datensätze einzeln.", "Der Fehler liegt in %f, die Prüfung fehlt dort."},
		fixes:   []string{"Ich habe %f angepasst, %s lädt jetzt alles auf einmal.", "Erledigt, mit zwei Tests für %s.", "%s hat jetzt eine verständliche Meldung."},
		replies: []string{"passt, danke", "bitte noch einmal prüfen", "gut, einchecken", "nein, so nicht", "und bei den anderen?"},
	}
	japanese = &speech{
		asks:    []string{"%sの表示が遅いので直して", "%sのテストを書いて", "%fは何をしているの?", "%sを日付順に並べたい", "%sが空のとき落ちる"},
		finds:   []string{"%fで%n件を一件ずつ読み込んでいます。", "%sの条件が抜けていました。", "%fに原因があります。"},
		fixes:   []string{"%fを直して、テストを追加しました。", "%sをまとめて読み込むようにしました。", "%sに上限を付けました。"},
		replies: []string{"ありがとう", "もう少し簡単にして", "いいね、コミットして", "他の画面も同じ?"},
	}
)

// projectTopics are the projects of the world.
var projectTopics = map[string]topics{
	"webshop": {
		parts:  []string{"the cart", "the checkout page", "the voucher field", "the refund dialog", "the product list", "the search box", "the order history", "the login form", "the wish list", "the stock badge", "the price filter", "the invoice download", "the payment form", "the gift card page", "the review stars"},
		files:  []string{"src/cart/store.ts", "src/checkout/steps.ts", "src/search/facets.ts", "src/orders/list.tsx", "src/api/client.ts", "src/payments/form.tsx", "src/catalog/page.tsx", "server/routes.ts"},
		speech: english, commands: []string{"npm test", "npm run lint", "npx tsc --noEmit", "git diff --stat", "rg -n useStore src"},
	},
	"pulsed": {
		parts:  []string{"the ingest handler", "the flush loop", "the agent", "the WAL reader", "the series index", "the config loader", "the relay", "the query endpoint", "the label filter", "the metrics page", "the snapshot job"},
		files:  []string{"series/store.go", "wal/reader.go", "relay/forward.go", "cmd/pulsed/main.go", "config/load.go", "agent/collect.go", "query/eval.go"},
		speech: english, commands: []string{"go test ./...", "go vet ./...", "go build ./...", "git log --oneline -5", "go test -run TestQuery ./query"},
	},
	"harvest": {
		parts:  []string{"the orders import", "the daily report", "the customer table", "the geo lookup", "the CRM sync", "the currency conversion", "the backfill", "the freshness check", "the export for finance", "the click stream"},
		files:  []string{"harvest/loader.py", "harvest/backfill.py", "models/staging/orders.sql", "models/marts/revenue.sql", "dags/daily.py", "harvest/geo.py"},
		speech: english, commands: []string{"pytest -q", "dbt run --select staging", "ruff check .", "git status", "python -m harvest.check"},
	},
	"infra": {
		parts:  []string{"the ingress", "the node pool", "the DNS zone", "the backup job", "the CI runner", "the alert rules", "the log pipeline", "the vault policy", "the certificate issuer", "the database instance", "the gateway chart"},
		files:  []string{"modules/network/main.tf", "modules/db/main.tf", "charts/gateway/values.yaml", "alerts/rules.yaml", "ci/runner.yaml", "dns/zone.tf"},
		speech: english, commands: []string{"terraform validate", "terraform fmt -check", "kubectl get nodes", "helm lint charts/gateway", "kubectl get events"},
	},
	"kite": {
		parts:  []string{"the note editor", "the onboarding screens", "the settings page", "the sync queue", "the map", "the date picker", "the share sheet", "the notification badge", "the paywall screen", "the widget"},
		files:  []string{"src/screens/Note.tsx", "src/sync/queue.ts", "src/screens/Settings.tsx", "ios/Podfile", "android/app/build.gradle", "src/theme/colors.ts"},
		speech: english, commands: []string{"npx jest", "npx tsc", "npx react-native doctor", "git stash list", "npm run lint"},
	},
	"schulportal": {
		parts:  []string{"der Stundenplan", "das Klassenbuch", "die Notenliste", "der Elternbereich", "die Fehlzeitenübersicht", "der Kalender", "die Anmeldung", "der Zeugnisdruck"},
		files:  []string{"src/Controller/KlasseController.php", "src/Entity/Schueler.php", "templates/noten/liste.html.twig", "src/Service/Kalender.php"},
		speech: german, commands: []string{"php bin/phpunit", "php bin/console cache:clear", "composer validate"},
	},
	"kakeibo": {
		parts:  []string{"取引一覧", "予算画面", "グラフ", "取り込み", "カテゴリ設定", "月次レポート"},
		files:  []string{"src/ledger.rs", "src/import.rs", "src/report.rs", "web/src/Chart.svelte"},
		speech: japanese, commands: []string{"cargo test", "cargo fmt --check", "npm run build"},
	},
	"handbook": {
		parts:  []string{"the install page", "the navigation", "the glossary", "the code samples", "the screenshots", "the release page", "the table of contents"},
		files:  []string{"content/install.md", "content/admin/storage.md", "layouts/_default/single.html", "config.toml"},
		speech: english, commands: []string{"hugo --quiet", "vale content", "git grep TODO"},
	},
}

// story makes up a session of a project.
func (c *chance) story(name string, w *findingWorld) story {
	project := c.of([]string{"webshop", "webshop", "webshop", "pulsed", "pulsed", "harvest", "harvest", "infra", "infra", "kite", "kite", "schulportal", "kakeibo", "handbook"})
	t := projectTopics[project]
	s := story{name: name, project: project, at: w.daysAgo(c.IntN(95)), agent: c.of([]string{"claude-code", "claude-code", "claude-code", "codex", "codex", "gemini", "pi", "copilot"})}
	for range 1 + c.IntN(4) {
		part := c.of(t.parts)
		s.turns = append(s.turns, turn{who: 'U', text: c.fill(c.of(t.speech.asks), t, part)}, turn{who: 'A', text: c.fill(c.of(t.speech.finds), t, part)})
		for range c.IntN(3) {
			s.turns = append(s.turns, turn{who: 'T', text: c.of(t.commands), output: c.output(t)})
		}
		s.turns = append(s.turns, turn{who: 'A', text: c.fill(c.of(t.speech.fixes), t, part)}, turn{who: 'U', text: c.of(t.speech.replies)})
	}
	return s
}

func (c *chance) fill(sentence string, t topics, part string) string {
	return strings.NewReplacer("%s", part, "%f", c.of(t.files), "%n", fmt.Sprint(10+c.IntN(900))).Replace(sentence)
}

// output is what a command prints: some lines about files.
func (c *chance) output(t topics) string {
	var b strings.Builder
	for range 2 + c.IntN(30) {
		fmt.Fprintf(&b, "%s:%d: %s %dms\n", c.of(t.files), 1+c.IntN(300), c.of([]string{"ok", "passed", "unchanged", "checked", "skipped"}), c.IntN(900))
	}
	return b.String()
}

// logLine is a line of a log of a kind.
func (c *chance) logLine(kind string) string {
	t := projectTopics[map[string]string{"etl": "harvest", "refresh": "infra", "gradle": "kite", "test": "pulsed"}[kind]]
	if t.files == nil {
		t = projectTopics["webshop"]
	}
	switch kind {
	case "access":
		return fmt.Sprintf("GET /%s/%d %d %d ms", c.of([]string{"cart", "products", "images", "orders", "search"}), c.IntN(9999), []int{200, 200, 304, 404}[c.IntN(4)], c.IntN(300))
	case "etl":
		return fmt.Sprintf("2026-09-%02d loaded partition %d of %d, %d rows", 1+c.IntN(30), c.IntN(24), 24, c.IntN(99999))
	case "refresh":
		return fmt.Sprintf("module.%s[%d]: Refreshing state... [id=%x]", c.of([]string{"network.aws_subnet.private", "db.aws_db_subnet_group.main", "dns.aws_route53_record.alias"}), c.IntN(9), c.Uint32())
	case "gradle":
		return "> Task :" + c.of([]string{"app", "maps", "reanimated", "svg"}) + ":" + c.of([]string{"preBuild UP-TO-DATE", "compileReleaseKotlin", "generateReleaseAssets", "bundleReleaseAar"})
	case "apt":
		return fmt.Sprintf("Get:%d http://archive.ubuntu.com/ubuntu noble/main amd64 %s amd64 [%d kB]", c.IntN(40), c.of([]string{"libssl-dev", "libc6-dev", "gcc-13", "make"}), c.IntN(900))
	}
	return fmt.Sprintf("ts=2026-11-%02dT%02d:%02d:%02dZ level=info msg=%q file=%s took=%dms", 1+c.IntN(21), c.IntN(24), c.IntN(60), c.IntN(60),
		c.of([]string{"request done", "cache hit", "connection reused", "page rendered", "job finished"}), c.of(t.files), c.IntN(900))
}

// result is a long result of a shape, with a line that somebody looks for, if any.
func (c *chance) result(shape, topic, fact string) string {
	lines := 120 + c.IntN(200)
	at := c.IntN(lines)
	var b strings.Builder
	for i := range lines {
		switch {
		case i == at && fact != "":
			b.WriteString(fact + "\n")
			continue
		case shape == "log":
			b.WriteString(c.logLine(topic))
		case shape == "markdown":
			p := projectTopics[c.of([]string{"webshop", "kite", "handbook"})]
			b.WriteString(c.fill(c.of(p.speech.finds), p, c.of(p.parts)))
		case shape == "issues", shape == "commits":
			p := projectTopics[c.of([]string{"webshop", "pulsed", "kite"})]
			fmt.Fprintf(&b, `{"number": %d, "title": %q, "comments": %d}`, c.IntN(9999), c.fill(c.of(p.speech.asks), p, c.of(p.parts)), c.IntN(30))
		default:
			fmt.Fprintf(&b, `{"id": %d, "kind": %q, "name": "%s-%d", "value": %d, "state": %q}`, c.IntN(99999), topic,
				c.of([]string{"alpha", "north", "blue", "main", "edge"}), c.IntN(99), c.IntN(9999), c.of([]string{"ok", "open", "closed", "waiting"}))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
