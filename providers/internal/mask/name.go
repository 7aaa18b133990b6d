package mask

import (
	"bytes"
	"strings"
)

// kind is what a name says of its value.
type kind uint8

const (
	nothing  kind = iota
	keyLike       // a key or signature: secret if it looks random
	weak          // a token or credential: also a word of parsers and of prose
	strong        // a secret, or an API key
	password      // may be any text
)

// rule returns the name of the rule for a value of the kind.
func (k kind) rule() string {
	switch k {
	case password:
		return "password"
	case strong:
		return "secret"
	}
	return "token"
}

// maxName is the length in bytes of the longest name that is examined.
const maxName = 96

// nouns are the endings of secret names, in the form that normal returns. One with
// a leading underscore needs a word before it; the others may be joined to one
// ("dbpassword").
var nouns = []struct {
	end  string
	kind kind
}{
	{"password", password}, {"passwd", password}, {"passphrase", password}, {"passwort", password},
	{"passcode", password}, {"pwd", password}, {"_pass", password}, {"_pw", password}, {"_passw", password},
	{"db_pass", password}, {"dbpass", password}, {"mnemonic", password}, {"_psw", password}, {"userpass", password},
	{"secret", strong}, {"secret_id", strong}, {"secrets", weak},
	{"api_key", strong}, {"apikey", strong}, {"access_key", strong}, {"accesskey", strong}, {"secret_key", strong},
	{"secretkey", strong}, {"private_key", strong}, {"privatekey", strong}, {"account_key", strong}, {"accountkey", strong},
	{"shared_key", strong}, {"encryption_key", strong}, {"encryptionkey", strong}, {"encrypt_key", strong}, {"signing_key", strong},
	{"signingkey", strong}, {"master_key", strong}, {"masterkey", strong}, {"admin_key", strong}, {"app_key", strong},
	{"auth_key", strong}, {"authkey", strong}, {"license_key", strong}, {"storage_key", strong}, {"service_key", strong}, {"service_role_key", strong},
	{"webhook_key", strong}, {"consumer_key", strong}, {"subscription_key", strong}, {"cipher_key", strong},
	{"unseal_key", strong}, {"recovery_key", strong}, {"root_key", strong}, {"deploy_key", strong}, {"session_key", strong},
	{"jwt_key", strong}, {"hmac_key", strong}, {"aes_key", strong},
	{"token", weak}, {"_auth", weak}, {"basic_auth", weak}, {"credential", weak}, {"credentials", weak}, {"creds", weak},
	{"authorization", weak}, {"_pat", weak}, {"_jwt", weak}, {"_dsn", keyLike},
	{"_key", keyLike}, {"signature", keyLike}, {"_sig", keyLike},
}

// besides are words that may follow the noun.
var besides = []string{
	"value", "string", "plain", "plaintext", "text", "base", "old", "new", "current", "previous", "confirm", "confirmation",
	"again", "prod", "production", "dev", "development", "test", "staging", "live", "primary", "secondary", "backup",
	"default", "env", "raw", "b64", "base64", "encoded", "hex", "data", "here",
}

// ordinary are words that make a name ordinary that would otherwise be that of
// a token or a key.
var ordinary = []string{
	"next", "page", "continuation", "cancel", "cancellation", "eos", "bos", "pad", "unk", "sep", "cls", "mask", "special",
	"stop", "max", "min", "num", "total", "count", "unexpected", "syntax", "public", "primary", "foreign", "cache", "sort", "partition",
	"index", "hash", "host", "publishable", "registry", "routing", "row", "map", "lookup", "group", "shortcut",
	"no", "enable", "disable", "use", "has", "is", "require", "requires", "invalid", "missing", "expired", "parent", "composite", "input", "output",
}

// kindOfName returns what a name says of its value.
func kindOfName(name []byte) kind {
	var buffer [2 * maxName]byte
	if len(name) < 3 || len(name) > maxName {
		return nothing
	}
	n := bytes.Trim(normal(buffer[:0], name), "_")
	n = withoutEnd(n)
	whole := string(n)
	for _, noun := range nouns {
		if !strings.HasSuffix(whole, noun.end) {
			continue
		}
		rest := whole[:len(whole)-len(noun.end)]
		if noun.end[0] == '_' && rest == "" {
			continue
		}
		if noun.kind < password && isOrdinary(rest) {
			return nothing
		}
		if noun.kind == keyLike && !bytes.ContainsRune(name, '_') {
			return nothing
		}
		if noun.end == "token" && rest != "" && !strings.HasSuffix(rest, "_") && !isGlued(rest) {
			return nothing
		}
		return noun.kind
	}
	return nothing
}

// isGlued reports whether a word is often written together with "token".
func isGlued(before string) bool {
	for _, w := range []string{"auth", "access", "api", "csrf", "xsrf", "bearer", "refresh", "session", "id", "bot", "app"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

func isOrdinary(words string) bool {
	for w := range strings.SplitSeq(words, "_") {
		for _, o := range ordinary {
			if w == o {
				return true
			}
		}
	}
	return false
}

// withoutEnd removes what may follow a noun: numbers, and words of besides.
func withoutEnd(n []byte) []byte {
	for {
		before := len(n)
		n = bytes.TrimRight(n, "0123456789_")
		for _, w := range besides {
			if rest, ok := bytes.CutSuffix(n, []byte(w)); ok && len(rest) > 0 && rest[len(rest)-1] == '_' {
				n = rest
			}
		}
		if len(n) == before {
			return n
		}
	}
}

// normal appends a name in lower case, with its words separated by underscores:
// dbPassword, DB-PASSWORD and db.password become db_password.
func normal(dst, name []byte) []byte {
	for i, c := range name {
		switch {
		case is(c, upper):
			starts := i > 0 && (is(name[i-1], lower|digit) || is(name[i-1], upper) && i+1 < len(name) && is(name[i+1], lower))
			if starts && len(dst) > 0 && dst[len(dst)-1] != '_' {
				dst = append(dst, '_')
			}
			dst = append(dst, c|0x20)
		case is(c, lower|digit):
			dst = append(dst, c)
		case len(dst) > 0 && dst[len(dst)-1] != '_':
			dst = append(dst, '_')
		}
	}
	return dst
}
