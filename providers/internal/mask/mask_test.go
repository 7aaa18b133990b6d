package mask

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// of returns a string of n characters that look random.
func of(n int, alphabet string) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
	any62   = letters + digits
)

// secrets are ordered by rule, assembled here so that none lies in the source.
func secrets() map[string][]string {
	jwt := "ey" + "J" + of(30, any62) + ".ey" + "J" + of(60, any62) + "." + of(43, any62+"_-")
	return map[string][]string{
		"aws":          {"AK" + "IAIOSFODNN7EXAMPLE", "AS" + "IAIOSFODNN7EXAMPLE"},
		"github":       {"gh" + "p_" + of(36, any62), "gh" + "o_" + of(36, any62), "gh" + "s_" + of(36, any62), "gh" + "u_" + of(36, any62), "gh" + "r_" + of(76, any62), "github" + "_pat_" + of(22, any62) + "_" + of(59, any62)},
		"slack":        {"xox" + "b-123456789012-1234567890123-" + of(24, any62), "xox" + "p-1234567890-" + of(32, digits)},
		"stripe":       {"sk" + "_live_" + of(24, any62), "rk" + "_live_" + of(99, any62), "sk" + "_test_" + of(24, any62), "rk" + "_test_" + of(24, any62)},
		"api-key":      {"s" + "k-" + of(48, any62), "s" + "k-proj-" + of(60, any62+"_-") + of(20, any62), "s" + "k-ant-api03-" + of(93, any62+"_-") + "AA", "s" + "k-or-v1-" + of(64, "0123456789abcdef")},
		"google":       {"AI" + "za" + of(35, any62+"_-")},
		"npm":          {"np" + "m_" + of(36, any62)},
		"gitlab":       {"glp" + "at-" + of(20, any62), "glp" + "at-" + of(27, any62) + ".01.0a1b2c3d4"},
		"huggingface":  {"h" + "f_" + of(34, letters)},
		"jwt":          {jwt, jwt[:strings.LastIndex(jwt, ".")+1]},
		"url-password": nil,
		"bearer":       nil,
	}
}

func TestTokens(t *testing.T) {
	surroundings := [][2]string{
		{"", ""}, {"", "\n"}, {"export TOKEN=", "\n"}, {`{"token": "`, "\"}\n"}, {"a\nbb ", " c\nd"}, {"x = '", "';"},
		{"\x1b[1;32m", "\x1b[0m"}, {`"one\n`, `\n"`}, {"?token%3D", "&x=1"}, {"(", ")."}, {"ü", "ü"}, {"-H x:", ","},
	}
	for rule, tokens := range secrets() {
		for _, token := range tokens {
			for _, around := range surroundings {
				if around[1] == ")." && rule == "jwt" {
					continue
				}
				want := around[0] + "[REDACTED:" + rule + "]" + around[1]
				for pad := range 9 {
					p := strings.Repeat(".", pad) + " "
					same(t, p+around[0]+token+around[1], p+want)
				}
			}
		}
	}
}

func same(t *testing.T, text, want string) {
	t.Helper()
	fstest.Equal(t, string(New().Mask([]byte(text))), want, text)
}

func TestPasswordsAndHeaders(t *testing.T) {
	token := "gh" + "p_" + of(36, any62)
	for text, want := range map[string]string{
		"postgres://u:hunter2@db:5432/x?y=1":                "postgres://u:[REDACTED:url-password]@db:5432/x?y=1",
		"git clone https://u:p@ss:w@github.com/a/b":         "git clone https://u:[REDACTED:url-password]@github.com/a/b",
		"redis://:hunter2@localhost":                        "redis://:[REDACTED:url-password]@localhost",
		"https://" + token + ":x-oauth@github.com " + token: "https://[REDACTED:github]:[REDACTED:url-password]@github.com [REDACTED:github]",
		"https://x-access-token:" + token + "@github.com":   "https://x-access-token:[REDACTED:url-password]@github.com",
		"http://a/x http://u:hunter2@b http://c":            "http://a/x http://u:[REDACTED:url-password]@b http://c",
		"Authorization: Bearer abc123def456":                "Authorization: Bearer [REDACTED:bearer]",
		`{"authorization": "Bearer abc.123/def+456=="}`:     `{"authorization": "Bearer [REDACTED:bearer]"}`,
		"> authorization: bearer abc123def456\r\n":          "> authorization: bearer [REDACTED:bearer]\r\n",
		"curl -H 'Authorization:Bearer abc123def456' x":     "curl -H 'Authorization:Bearer [REDACTED:bearer]' x",
	} {
		same(t, text, want)
	}
}

func TestNoTokens(t *testing.T) {
	for _, text := range []string{
		"sk-", "sk- alone", "task-runner-of-the-day-2026-11-21", "sk-learn", "sk-circle-fade-dot-animation-delay-12", "disk-usage-1234567890abcdef1234",
		"class=\"sk-folding-cube sk-cube1-very-long-name-2-of-it\"", "sk_test_helper_functions_of_ours_1", "desk_live_1234567890abcdef1234",
		"ghp_", "ghp_short", "through_and_gho_st", "aghp_" + of(36, any62), "github_pat_of_something_long_without_any_number_at_all",
		"AKIA", "AKIAIOSFODNN7EXAMPLEX", "xAKIAIOSFODNN7EXAMPLE", "ASIA and EUROPE", "xoxo-hugs-and-kisses", "npm_config_registry npm_package_dependencies_of_the_thing_1234567890",
		"glpat-", "hf_hub_download_and_more_of_such_names", "hf_transformersandmoreofsuchnamesinlowercase", "eyJ", "eyJhbGciOiJIUzI1NiJ9", "eyJ.a.b",
		"https://example.com:8080/@vite/client", "http://h:80?mail=a@b.c", "git+ssh://git@github.com/x.git", "ssh://git@h:22/x", "postgres://u:$PASSWORD@h", "postgres://u:${PASSWORD}@h", "://:@", "x://y:*****@z",
		"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "Bearer of bad news 1234", "the authorization of a bearer token", "Authorization: Bearer header",
		"commit b5883b8d1c0f3e2a4b5c6d7e8f90123456789abc", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		`"integrity": "sha512-` + of(86, any62+"+/") + `=="`, "h1:" + of(43, any62+"+/") + "=", "550e8400-e29b-41d4-a716-446655440000",
		"-----BEGIN CERTIFICATE-----\n" + pem(20) + "-----END CERTIFICATE-----\n", "-----BEGIN PUBLIC KEY-----\n" + pem(6) + "-----END PUBLIC KEY-----\n",
		"the words PRIVATE KEY alone", "-----BEGIN RSA PRIVATE KEY-----\n$ ls\ndone\n", "if strings.Contains(s, \"-----BEGIN PRIVATE KEY-----\") {\n\treturn true\n}\n",
		"a.go:-----BEGIN RSA PRIVATE KEY-----\nb/c.go:-----BEGIN PRIVATE KEY-----\nc\n", "-----END RSA PRIVATE KEY-----\n",
	} {
		for range 2 {
			same(t, text, text)
			text = "x " + text + "\ny"
		}
	}
}

// TestLockFilesStay: much base64 and hexadecimal has no secret.
func TestLockFilesStay(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		b.WriteString("      \"integrity\": \"sha512-" + of(80+i%7, any62+"+/") + "==\",\n " + of(40+i%25, "0123456789abcdef") + "\n")
	}
	if text := []byte(b.String()); !bytes.Equal(New().Mask(text), text) {
		t.Error("it was changed")
	}
}

// pem is lines of base64, the last one short.
func pem(lines int) string {
	var b strings.Builder
	for i := range lines {
		b.WriteString(of(64, any62+"+/")[i%3:] + "M1\n")
	}
	return b.String() + "aB3/x9==\n"
}

const hidden = "[REDACTED:private-key]"

func TestPrivateKeys(t *testing.T) {
	mark := func(which, kind string) string { return "-----" + which + " " + kind + "PRIVATE" + " KEY-----" }
	body := strings.Repeat(hidden+"\n", 21)
	for _, kind := range []string{"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "} {
		key := mark("BEGIN", kind) + "\n" + pem(20) + mark("END", kind) + "\n"
		want := mark("BEGIN", kind) + "\n" + body + mark("END", kind) + "\n"
		same(t, key, want)
		same(t, "$ cat key\n"+key+"$ ls\n"+key+"done\n", "$ cat key\n"+want+"$ ls\n"+want+"done\n")
		same(t, strings.ReplaceAll(key, "\n", "\r\n"), strings.ReplaceAll(want, "\n", "\r\n"))
		same(t, strings.ReplaceAll("\n"+key, "\n", "\n    "), strings.ReplaceAll("\n"+want, "\n", "\n    "))
		same(t, key[strings.Index(key, "\n")+1:], want[strings.Index(want, "\n")+1:]) // only its end is there
		same(t, `{"k": "`+strings.ReplaceAll(key, "\n", `\n`)+`", "e": 1}`, `{"k": "`+mark("BEGIN", kind)+`\n`+hidden+`\n`+mark("END", kind)+`\n", "e": 1}`)
		for _, size := range []int{1, 7, 64, 100} { // in pieces, of lines and of parts of them
			var out bytes.Buffer
			m := New()
			for rest := "$\n" + key + "after\n"; rest != ""; {
				n := min(size, len(rest))
				out.Write(m.Mask([]byte(rest[:n])))
				rest = rest[n:]
			}
			got := out.String()
			for _, line := range strings.Split(pem(20), "\n") {
				if len(line) > 50 && strings.Contains(got, line[40:]) {
					t.Errorf("in pieces of %d: %q", size, got)
					break
				}
			}
			if strings.Count(got, "\n") != strings.Count(key, "\n")+2 || !strings.HasSuffix(got, "\nafter\n") {
				t.Errorf("in pieces of %d: %q", size, got)
			}
		}
		m := New() // by line
		var out bytes.Buffer
		for line := range strings.Lines(key + "done\n") {
			out.Write(m.Mask([]byte(line)))
		}
		fstest.Equal(t, out.String(), want+"done\n", "by line")
	}
	headers := "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n"
	same(t, mark("BEGIN", "RSA ")+"\n"+headers+pem(20)+mark("END", "RSA "), mark("BEGIN", "RSA ")+"\n"+headers+body+mark("END", "RSA "))
	pgp := func(b string) string {
		return "-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\nVersion: 1\n\n" + b + "-----END PGP PRIVATE" + " KEY BLOCK-----\n"
	}
	same(t, pgp(pem(20)+"=aB1d\n"), pgp(body+hidden+"\n"))
}

// TestPieces: of tokens that are split, the whole line is recognized, also if
// its beginning was returned before.
func TestPieces(t *testing.T) {
	for rule, tokens := range secrets() {
		for _, token := range tokens {
			text := "a " + token + " b\n"
			for cut := range len(text) {
				m := New()
				first := string(m.Mask([]byte(text[:cut])))
				got := first + string(m.Mask([]byte(text[cut:])))
				if !strings.HasSuffix(got, " b\n") || !strings.Contains(got, "[REDACTED:"+rule+"]") && cut < len(token)-len(token)/3 {
					t.Errorf("%s cut at %d: %q", rule, cut, got)
				}
				if rest := token[len(token)*2/3:]; cut < len(token)/2 && strings.Contains(got, rest) {
					t.Errorf("%s cut at %d: the end is there: %q", rule, cut, got)
				}
			}
		}
	}
	m := New()
	got := string(m.Mask([]byte("Authorization: Bearer "))) + string(m.Mask([]byte("abc123def456\n")))
	fstest.Equal(t, got, "Authorization: Bearer [REDACTED:bearer]\n", "header in pieces")
}

func FuzzMask(f *testing.F) {
	for _, tokens := range secrets() {
		for _, token := range tokens {
			f.Add([]byte("a "+token+"\n"), 5)
		}
	}
	f.Add([]byte("-----BEGIN PRIVATE"+" KEY-----\n"+pem(3)+"-----END PRIVATE"+" KEY-----\nhttp://u:p@h"), 30)
	f.Add([]byte("-----END PRIVATE"+" KEY-----\n--END "), 3)
	f.Add([]byte(pem(2)+"-----END PRIVATE"+" KEY-----\n"), 80)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		whole := bytes.Clone(text)
		m := New()
		out := m.Mask(text)
		if !bytes.Equal(text, whole) {
			t.Fatal("the text was written to")
		}
		if bytes.Count(out, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Fatalf("other lines: %q", out)
		}
		if !bytes.Equal(out, text) && !bytes.Contains(out, []byte("[REDACTED:")) {
			t.Fatalf("changed: %q", out)
		}
		shape := false
		for _, rules := range base().heads {
			for _, r := range rules {
				for at := range text {
					shape = shape || r.matches(text, at)
				}
			}
		}
		if !shape && !bytes.Equal(out, text) {
			t.Fatalf("changed without a shape: %q", out)
		}
		if cut < 0 || cut > len(text) {
			return
		}
		m = New()
		out = append(bytes.Clone(m.Mask(text[:cut])), m.Mask(text[cut:])...)
		if bytes.Count(out, []byte("\n")) != bytes.Count(text, []byte("\n")) || !shape && !bytes.Equal(out, text) {
			t.Fatalf("in pieces: %q", out)
		}
	})
}
