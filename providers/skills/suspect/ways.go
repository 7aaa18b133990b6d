package suspect

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
)

// The words for what is secret, for sending, and for where to, in the languages in which
// most skills are written.
const (
	// keyFiles are files and folders with keys and histories that no skill is for.
	keyFiles = `(?:\bid_(?:rsa|dsa|ecdsa|ed25519)\b|(?:^|[^\w])\.(?:ssh|aws|azure)\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|\.docker/config|\.kube/config|\bkubeconfig\b|\.gnupg\b|\.config/gcloud|application_default_credentials|\.(?:bash|zsh|python|node_repl)_history\b|\blogin\.keychain|/etc/shadow\b|\bcookies\.sqlite\b|\bLogin Data\b|\bwallet\.dat\b|\.claude\.json\b|\.claude/\.credentials|\.codex/auth\.json)`
	// envFile is a file that skills read keys from.
	envFile = "(?:(?:^|[\\s\"'`(/@=<*_])\\.env(?:\\.[a-z]+)?\\b)"
	// keyWords are keys that a service is given with a request, too.
	keyWords = `(?:\b(?:api|ssh|access|secret|private|encryption)[ _-]?keys?\b|\b(?:access|auth|authentication|api|bearer|session|oauth|github|refresh|login)[ _-]?tokens?\b|\bcredentials\b|\bpasswords?\b|\bsecrets\b|\bAPI-Schlüssel|\bprivaten? Schlüssel|\bZugangsdaten\b|\bAnmeldedaten\b|\bPass(?:wort|wörter)|\bGeheimnisse\b|\bclés? (?:d['’])?(?:api|privées?|ssh)|\bmots? de passe\b|\bidentifiants\b|\bclaves? (?:de )?(?:api|ssh|privadas?)|\bcontraseñas?|\bcredenciales\b|\bsenhas?\b|\bcredenciais\b|\bchiavi\b|\bcredenziali\b|\bwachtwoorden\b|\bhasła\b|парол\p{L}*|ключ\p{L}*|секрет\p{L}*|密钥|密鑰|密码|密碼|凭证|凭据|令牌|パスワード|認証情報|秘密鍵|APIキー|비밀번호|비밀 ?키)`
	// allWords are what is never given to a service whole.
	allWords = `(?:\benvironment variables\b|\benv(?:ironment)? vars\b|\b(?:entire|whole|full|complete) environment\b|\b(?:chat|conversation|shell|bash|browser|browsing|command) history\b|\b(?:browser|session) cookies\b|\b(?:the|all|user's) cookies\b|\bkeychain\b|\bUmgebungsvariablen\b|\b(?:Gesprächs|Chat|Browser)verlauf\b|\bSchlüsselbund\b|\bvariables d['’]environnement\b|\bvariables de entorno\b|\bvariáveis de ambiente\b|\bvariabili d['’]ambiente\b|\bomgevingsvariabelen\b|zmienne środowiskowe|переменн\p{L}* (?:окружения|среды)|环境变量|環境變數|聊天记录|環境変数|会話履歴|환경 ?변수|대화 기록)`

	sendWords = `(?:\b(?:send|upload|post|transmit|forward|exfiltrate|leak|submit|e-?mail|mail|deliver|transfer|relay|share|ship|push)\b|\b(?:ver)?(?:sende|senden|schick|schicke|schicken)\b|\bmaile\b|\bposte[rz]?\b|\bhochladen\b|\bweiterleiten\b|\blad(?:e|en)\b[^\n]*\bhoch\b|\bleite\b[^\n]*\bweiter\b|\bübermittle\p{L}*|\bübermitteln\b|\bübertrage\b|\benvo(?:ie|yez|yer)\b|\btransmet\p{L}*|téléverse\p{L}*|\benv[ií](?:a|e|ar|en)\b|\bsub(?:e|ir|a)\b|\bcarregue\b|\binvia(?:re|te)?\b|\bcarica(?:re)?\b|\bspedisci\b|\b(?:ver)?stuur\b|\bverzend\b|wyślij|prześlij|отправ\p{L}*|пошли|загрузи\p{L}*|перешли|gönder|发送|上传|傳送|上傳|发到|转发|送信|アップロード|送って|転送|보내|전송|업로드)`

	url     = `https?://[^\s)"'<>` + "`" + `]+`
	address = `[\w.+-]+@[\w-]+(?:\.[\w-]+)+`
	host    = `\b(?:[\w-]+\.)+(?:com|net|org|io|dev|app|xyz|ru|cn|me|co|sh|site|info|example|test|online|top)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b`
	place   = `\b(?:to|an|at|into|auf|nach|zu|zum|vers|à|au|para|al?|naar|do|via)\s+(?:\w+\s+){0,3}(?:server|endpoint|webhook|url|domain|e-?mail address|serveur|servidor)\b`
)

var (
	keyFile    = regexps.Lazy(keyFiles)
	secret     = regexps.Lazy(`(?i)` + envFile + `|` + keyFiles + `|` + allWords + `|` + keyWords)
	precious   = regexps.Lazy(`(?i)` + envFile + `|` + keyFiles + `|` + allWords)
	sending    = regexps.Lazy(`(?i)` + sendWords)
	away       = regexps.Lazy(`(?i)` + url + `|` + address + `|` + host + `|` + place)
	maybeAway  = regexps.Lazy(`[@/:]|[\pL\d]\.[\pL\d]|[Mm]ail|[Ss]erv|[Ee]ndpoint|[Ww]ebhook|[Uu][Rr][Ll]|[Dd]omain| along`) // cheap, for most sentences
	local      = regexps.Lazy(`(?i)https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])[^\s)"']*`)
	mailing    = regexps.Lazy(`(?i)^e?-?mail`)
	recipient  = regexps.Lazy(`(?i)\b(?:to|an|à|a|para|naar)\s+\S`)
	pronoun    = regexps.Lazy(`(?i)^\s+(?:it\b|them\b|everything\b|this\b|that\b|(?:its|the|their|all|all the)\s+(?:\w+\s+)?(?:contents?|results?|output|values?|data|files?|keys?)\b|sie\b|ihn\b|es\b|alles\b|(?:den|seinen|ihren)\s+Inhalt\b|le\b|la\b|les\b|lo\b)`)
	asKey      = regexps.Lazy(`(?i)\b(?:with|using|via|through|requests?|headers?|after|if|when|once|without|about|links?|forms?|mit|avec|mediante|usando|utilizando)\b`)
	inHeader   = regexps.Lazy(`(?i)\bheaders?\b|\bauthorization\b|\bbearer\b|\bKopfzeile`)
	noSecret   = regexps.Lazy(`(?i)^\s*(?:reset|change|polic|prompt|field|manager|strength|length|count|limit|usage|budget|hygiene|management|rotation|validation|scan|names?\b|schema|example|template|required)`)
	denied     = regexps.Lazy(`(?i)\b(?:never|not|no|don't|don’t|doesn't|can't|cannot|won't|mustn't|shouldn't|without|avoid|prevents?|refuse|reject|nie|niemals|nicht|kein(?:e|en|er)?|jamais|pas|nunca|jamás|não|non|mai|nooit|niet|geen|nigdy)\b|никогда|не\s|不要|请勿|勿|禁止|切勿|しない|ないで|마세요|않`)
	deniedNext = regexps.Lazy(`(?i)^\S+\s+(?:nie|niemals|nicht|keine?|jamais|pas|nooit|niet|geen)\b`)
	next       = regexps.Lazy(`(?i);|\b(?:and )?then\b|\bdann\b|\bensuite\b|\bluego\b`)
	inAddress  = regexps.Lazy(`(?i)\b(?:append|add|include|put|attach|encode|embed|pass|fetch|call|requests?|visit|open|hänge|füge|ajoute[rz]?|añad[ea]|agrega)\b`)
	parameter  = regexps.Lazy(`(?i)\b(?:query|url|get)[ -]?(?:string|param(?:eter)?s?)\b|\bin(?:to)? the (?:url|query)\b|\bURL-Parameter|\bparam[èe]tres? (?:de )?(?:l['’])?url|\bparámetros? (?:de )?(?:la )?url`)
	serviceAPI = regexps.Lazy(`(?i)https?://(?:[\w.-]*\bapi\b|[^\s/]*googleapis\.|[^\s"']*/(?:api|v\d+)(?:/|\?|\b))`)
	forbidding = regexps.Lazy(`(?i)\b(?:never|don't|do not|avoid|red flags?|attack|attacker|malicious|threats?|bad|wrong|anti-?patterns?|forbidden|prohibited|vulnerab\w*|detect\w*|injections?|exfiltration|suspicious|niemals|verboten)\b|❌`)
	leadIn     = regexps.Lazy(`(?m)^(?:#+ .*|.*:\**[ \t]*)$`)
	sentence   = regexps.Lazy(`[.!?。！？]["')*_]*(?:[ \t\n]|$)|[。！？]|\n[ \t]*(?:\n|[-*+|>#] ?|\d+[.)] )`)
)

// sends finds sentences that tell to send secrets away.
func (f *finder) sends(text string, code []span) {
	if !secret().MatchString(text) {
		return
	}
	blocks := code[:0:0]
	for _, c := range code {
		if strings.Contains(text[c.from:c.to], "\n") {
			blocks = append(blocks, c)
		}
	}
	var before [2]string // the sentences before
	visit := func(from, to int) {
		s := text[from:to]
		at, isSending := tellsToSend(s, before[:])
		if at >= 0 && !isExample(text, from+at, min(to, from+at+1)) && !forbidding().MatchString(heading(text[:from])) {
			what := "tells to send secrets away"
			if !isSending {
				what = "tells to put secrets into an address"
			}
			f.add(line(text, from+at), Sends, what, strings.TrimLeft(strings.TrimSpace(s), "-*+>#| \n"))
		}
		before = [2]string{s, before[0]}
	}
	begin := 0
	for _, b := range append(blocks, span{len(text), len(text)}) {
		for begin < b.from {
			end := b.from
			if m := sentence().FindStringIndex(text[begin:b.from]); m != nil {
				end = begin + max(m[1], 1)
			}
			visit(begin, end)
			begin = end
		}
		begin = max(begin, b.to)
	}
}

// heading returns what a passage stands below: the last heading, or line that ends with a
// colon, of those shortly before it.
func heading(before string) string {
	before = before[max(0, len(before)-600):]
	all := leadIn().FindAllString(before, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// tellsToSend returns where a sentence tells to send a secret away, or to put it into an
// address; -1 if it does not. What it sends may be named in the sentences before it.
func tellsToSend(s string, before []string) (at int, isSending bool) {
	if !maybeAway().MatchString(s) {
		return -1, false
	}
	s = local().ReplaceAllStringFunc(s, func(url string) string { return strings.Repeat("_", len(url)) })
	verbs := sending().FindAllStringIndex(s, 10)
	if len(verbs) == 0 && !inAddress().MatchString(s) {
		return -1, false
	}
	secrets := secret().FindAllStringIndex(s, 10)
	for _, verb := range verbs {
		if isFlag := verb[0] > 0 && s[verb[0]-1] == '-'; isFlag || isDenied(s, verb[0]) {
			continue
		}
		if first, _, ok := strings.Cut(s[verb[0]:verb[1]], " "); ok { // "lade … hoch"
			verb[1] = verb[0] + len(first)
		}
		goal := away().FindStringIndex(s[verb[1]:])
		if goal == nil {
			goal = away().FindStringIndex(s[:verb[0]]) // as in Japanese, and "open https://… and post"
		}
		isMail := mailing().MatchString(s[verb[0]:]) && recipient().MatchString(s[verb[1]:])
		if pronoun().MatchString(s[verb[1]:]) && (goal != nil || isMail || strings.Contains(s[verb[1]:], " along")) {
			if slices.ContainsFunc(before, func(b string) bool { return precious().MatchString(b) && !denied().MatchString(b) }) || len(secrets) > 0 && secrets[0][0] < verb[0] && !asKey().MatchString(s[secrets[0][1]:verb[0]]) {
				return verb[0], true
			}
		}
		if goal == nil && !isMail {
			continue
		}
		for _, m := range secrets {
			isPrecious := precious().MatchString(s[m[0]:m[1]])
			between := ""
			if m[0] > verb[1] {
				between = s[verb[1]:m[0]]
			}
			switch {
			case noSecret().MatchString(s[m[1]:]), asKey().MatchString(between):
			case !isPrecious && (inHeader().MatchString(s) || m[0] < verb[0] && s[verb[0]] < 0x80):
			case m[0] < verb[0] && isASCII(s): // "read .env, then post the report": the pronoun decides
			default:
				return verb[0], true
			}
		}
	}
	if verb := inAddress().FindStringIndex(s); verb != nil && len(secrets) > 0 && secrets[0][0] > verb[0] && parameter().MatchString(s[secrets[0][1]:]) &&
		away().MatchString(s) && !serviceAPI().MatchString(s) && !isDenied(s, verb[0]) {
		return verb[0], false
	}
	return -1, false
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x2000 }) < 0
}

// isDenied reports whether what is told at an offset is not to be done.
func isDenied(s string, at int) bool {
	before := s[:at]
	if all := next().FindAllStringIndex(before, -1); len(all) > 0 {
		before = before[all[len(all)-1][1]:]
	}
	after := s[at:]
	if i := strings.IndexFunc(after, func(r rune) bool { return r >= 0x3000 }); i < 0 {
		after = "" // only languages with the verb at the end deny after it
	}
	return denied().MatchString(before) || deniedNext().MatchString(s[at:]) || denied().MatchString(after)
}
