package mask

import (
	"bytes"
	"slices"
	"strings"
)

// command describes where a program takes secrets in its arguments, besides
// flags and assignments with secret names.
type command struct {
	names  []string // of the program; one that ends in * is a prefix
	needs  string   // a word without which the rest does not apply
	flags  []string // the next word, or the rest of the flag's own, is a secret
	glued  []string // the rest of the flag's own word is a secret
	pairs  []string // the value is user:password, or user%password
	pass   []string // the value is pass:X
	after  string   // the word after this one is a secret
	last   bool     // the last word is a secret
	cookie []string // the value is a header's
	first  bool     // only before the command that the program starts
}

// commands are the programs that people pass passwords to. Sources: their manual
// pages.
var commands = []command{
	{names: []string{"curl"}, pairs: []string{"-u", "--user", "-U", "--proxy-user"}, flags: []string{"--pass", "--oauth2-bearer", "--proxy-pass"}, cookie: []string{"-b", "--cookie"}},
	{names: []string{"mysql*", "mariadb*", "mycli"}, glued: []string{"-p"}},
	{names: []string{"mysqladmin", "mariadb-admin"}, after: "password"},
	{names: []string{"sshpass"}, flags: []string{"-p"}, first: true},
	{names: []string{"docker", "podman", "nerdctl", "buildah", "skopeo", "oras", "helm", "crane", "az", "cf", "oc", "argocd", "jf", "ibmcloud", "snowsql"}, needs: "login", flags: []string{"-p"}},
	{names: []string{"vault", "bao"}, after: "login"},
	{names: []string{"redis-cli", "valkey-cli"}, flags: []string{"-a", "--pass"}},
	{names: []string{"mongo*"}, flags: []string{"-p"}},
	{names: []string{"ldap*"}, flags: []string{"-w", "-s"}},
	{names: []string{"sqlcmd", "bcp", "osql"}, flags: []string{"-P"}},
	{names: []string{"openssl"}, pass: []string{"-pass", "-passin", "-passout"}, flags: []string{"-K"}},
	{names: []string{"openssl"}, needs: "enc", flags: []string{"-k"}},
	{names: []string{"zip", "unzip"}, flags: []string{"-P"}},
	{names: []string{"7z", "7za", "7zz", "7zr", "rar", "unrar"}, glued: []string{"-p", "-hp"}},
	{names: []string{"twine"}, flags: []string{"-p"}},
	{names: []string{"smbclient", "rpcclient", "smbget", "net"}, pairs: []string{"-U", "--user"}},
	{names: []string{"http", "https", "xh", "xhs", "httpie"}, pairs: []string{"-a", "--auth"}},
	{names: []string{"htpasswd"}, needs: "-b", last: true},
	{names: []string{"gh"}, needs: "secret", flags: []string{"-b", "--body"}},
	{names: []string{"wfuzz", "hydra"}, flags: []string{"-p"}},
	{names: []string{"ipmitool"}, flags: []string{"-P"}},
	{names: []string{"cadaver", "lftp", "ncftp*"}, pairs: []string{"-u", "--user"}},
	{names: []string{"xfreerdp*", "wlfreerdp*"}, glued: []string{"/p:"}},
	{names: []string{"bw"}, after: "unlock"},
	{names: []string{"snmp*"}, flags: []string{"-A", "-X"}},
}

// isOf reports whether a program is one of the command's.
func (c *command) isOf(program []byte) bool {
	for _, name := range c.names {
		if prefix, ok := strings.CutSuffix(name, "*"); ok && bytes.HasPrefix(program, []byte(prefix)) || string(program) == name {
			return true
		}
	}
	return false
}

// piece is a secret within a word.
type piece struct {
	word, from, to int
	rule           string
}

// ofCommand finds the secrets in a command line that the program takes for
// passwords. The first word is the program.
func ofCommand(w words, found []piece) []piece {
	if len(w) == 0 {
		return found
	}
	program := w.text(0)[bytes.LastIndexByte(w.text(0), '/')+1:]
	if len(program) < 2 || !is(program[0], alnum) {
		return found
	}
	for i := range commands {
		if c := &commands[i]; c.isOf(program) && (c.needs == "" || w.has(c.needs)) {
			found = c.find(w, found)
		}
	}
	if string(program) == "net" && len(w) > 3 && string(w.text(1)) == "use" { // net use Z: \\host\share /user:NAME PASSWORD
		for i := 3; i < len(w); i++ {
			if bytes.HasPrefix(w.text(i-1), []byte("/user:")) {
				found = w.add(found, i, 0, "password")
			}
		}
	}
	return found
}

func (w words) has(text string) bool {
	return slices.ContainsFunc(w, func(word []byte) bool {
		return string(word) == text || len(text) == 2 && len(word) > 2 && word[0] == '-' && word[1] != '-' && bytes.IndexByte(word, text[1]) > 0
	})
}

func (c *command) find(w words, found []piece) []piece {
	for i := 1; i < len(w); i++ {
		word, next := w[i], i+1
		if c.first && !bytes.HasPrefix(word, []byte("-")) && len(w[i-1]) != 2 {
			break
		}
		for _, flag := range c.flags {
			switch rest, ok := bytes.CutPrefix(word, []byte(flag)); {
			case !ok:
			case len(rest) == 0:
				found = w.add(found, next, 0, "password")
			case rest[0] == '=' && len(flag) > 2:
				found = w.add(found, i, len(flag)+1, "password")
			case len(flag) == 2 && rest[0] != '-':
				found = w.add(found, i, len(flag), "password")
			}
		}
		for _, flag := range c.glued {
			if len(word) > len(flag) && bytes.HasPrefix(word, []byte(flag)) {
				found = w.add(found, i, len(flag), "password")
			}
		}
		for _, flags := range [][]string{c.pairs, c.pass, c.cookie} {
			for _, flag := range flags {
				found = c.paired(w, i, flag, found)
			}
		}
		if c.after != "" && string(word) == c.after {
			found = w.add(found, next, 0, "token")
		}
	}
	if n := len(w) - 1; c.last && n > 3 {
		found = w.add(found, n, 0, "password")
	}
	return found
}

// paired calls pair if a word is a certain flag.
func (c *command) paired(w words, i int, flag string, found []piece) []piece {
	at, from := i, len(flag)
	switch rest, ok := bytes.CutPrefix(w[i], []byte(flag)); {
	case !ok:
		return found
	case len(rest) == 0:
		at, from = i+1, 0
	case len(flag) > 2 && rest[0] != '=':
		return found
	case len(flag) > 2:
		from++
	}
	return c.pair(w, at, from, flag, found)
}

// pair finds the password of user:password, user%password, pass:password, or
// the values of cookies.
func (c *command) pair(w words, i, from int, flag string, found []piece) []piece {
	if i >= len(w) {
		return found
	}
	f, t := bare(w[i], from)
	value := w[i][f:t]
	if slices.Contains(c.cookie, flag) {
		if bytes.IndexByte(value, '=') > 0 {
			for _, s := range cookies(value, 0, false) {
				found = append(found, piece{i, f + s.from, f + s.to, s.rule})
			}
		}
		return found
	}
	sign := bytes.IndexAny(value, ":%")
	if sign < 0 || slices.Contains(c.pass, flag) && string(value[:sign]) != "pass" {
		return found
	}
	if len(value) > 0 && value[0] == '$' && bytes.IndexByte(value[1:], '$') < 0 && sign == len(value)-1 {
		return found
	}
	if sign == len(value)-1 && looksRandom(value[:sign]) { // an API key in place of a name
		return append(found, piece{i, f, f + sign, "token"})
	}
	return w.add(found, i, f+sign+1, "password")
}

// add adds a word from an offset, if it is a secret rather than a placeholder,
// another flag or nothing.
func (w words) add(found []piece, i, from int, rule string) []piece {
	if i >= len(w) || len(w[i]) <= from {
		return found
	}
	f, t := bare(w[i], from)
	if v := w[i][f:t]; from == 0 && len(v) > 0 && v[0] == '-' || placeholder(v) || isPath(v) {
		return found
	}
	return append(found, piece{i, f, t, rule})
}

// ofFlag finds the secret after a flag with a secret name (--password X), and
// that of NAME VALUE after set and the like.
func ofFlag(w words, i int, found []piece) []piece {
	name := bytes.TrimLeft(w.text(i), "-")
	k := kindOfName(name)
	if k < weak || i+1 >= len(w) {
		return found
	}
	v := w.text(i + 1)
	// A help text names the flag's value in capitals, or has a type.
	if isOneOf("after flags", string(bytes.TrimRight(v, ".,:;)"))) || len(bytes.TrimLeft(v, upperLetters+"_")) == 0 && len(v) > 0 && (isUpperName(v)) || !isSecretValue(name, v, k, inAssignment) {
		return found
	}
	return w.add(found, i+1, 0, k.rule())
}

const upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// isUpperName reports whether a value in capitals is the name of a placeholder.
func isUpperName(v []byte) bool {
	return isUpper(v) && (kindOfName(v) != nothing || isOneOf("capitals", string(v)))
}
