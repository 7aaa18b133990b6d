package clients

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// section returns an object within the entry; ok reports whether it is there.
func (k *keys) section(key string) (inner *keys, ok bool) {
	v, ok := k.value.Get(key)
	if ok && v.Kind != syntax.Object {
		k.fail(v, "%q is %s, not an object", key, v.Kind)
		ok = false
	}
	return &keys{value: v}, ok
}

// adoptFault takes over the fault of a section, which may be nil.
func (k *keys) adoptFault(inner *keys) {
	if inner != nil && k.fault == "" {
		k.fault = inner.fault
	}
}

// scopes returns an array of strings, or the words of one string.
func (k *keys) scopes(key string, x *expander) []string {
	if v, ok := k.value.Get(key); ok && v.Kind == syntax.Text {
		return strings.Fields(x.text(key, v.Text))
	}
	return x.texts(key, k.texts(key))
}

// loginKeys are the names of the keys that describe a login in a client's files: an
// object, and the keys in it. A client without a key has "".
type loginKeys struct{ object, id, secret, scopes string }

// login reads an object that describes a login, and returns it for keys that only
// one client has; nil if it is missing. A fault in it must be adopted.
func (k *keys) login(e *Entry, x *expander, names loginKeys) *keys {
	o, ok := k.section(names.object)
	if !ok {
		return nil
	}
	e.Login.ClientID = x.text(names.object+"."+names.id, o.text(names.id))
	if names.secret != "" {
		e.Login.ClientSecret = x.text(names.object+"."+names.secret, o.text(names.secret))
	}
	if names.scopes != "" {
		e.Login.Scopes = o.scopes(names.scopes, x)
	}
	return o
}

// claudeLogin reads the key `oauth` of Claude Code.
func (k *keys) claudeLogin(e *Entry, x *expander) {
	o := k.login(e, x, loginKeys{object: "oauth", id: "clientId", scopes: "scopes"})
	if o == nil {
		return
	}
	e.Login.MetadataURL = x.text("oauth.authServerMetadataUrl", o.text("authServerMetadataUrl"))
	if v, ok := o.value.Get("callbackPort"); ok {
		port, err := strconv.ParseUint(v.Text, 10, 16)
		if err != nil || port == 0 {
			o.fail(v, "%q is not a port", "callbackPort")
		}
		e.Login.RedirectURL = fmt.Sprintf("http://localhost:%d/callback", port)
	}
	k.adoptFault(o)
}

// cursorRedirect is the redirect address that users of Cursor register.
const cursorRedirect = "http://localhost:8787/callback"

// cursorLogin reads the key `auth` of Cursor.
func (k *keys) cursorLogin(e *Entry, x *expander) {
	o := k.login(e, x, loginKeys{object: "auth", id: "CLIENT_ID", secret: "CLIENT_SECRET", scopes: "scopes"})
	if e.Login.ClientID != "" {
		e.Login.RedirectURL = cursorRedirect
	}
	k.adoptFault(o)
}

// geminiLogin reads the key `oauth` of Gemini CLI.
func (k *keys) geminiLogin(e *Entry, x *expander) {
	o := k.login(e, x, loginKeys{object: "oauth", id: "clientId", secret: "clientSecret", scopes: "scopes"})
	if e.Login.ClientID != "" {
		e.Login.RedirectURL = x.text("oauth.redirectUri", o.text("redirectUri"))
	}
	k.adoptFault(o)
}

// codexLogin reads the keys `oauth` and `scopes` of Codex.
func (k *keys) codexLogin(e *Entry, x *expander) {
	e.Login.Scopes = k.scopes("scopes", x)
	k.adoptFault(k.login(e, x, loginKeys{object: "oauth", id: "client_id"}))
}

// opencodeLogin reads the key `oauth` of opencode, which may be false.
func (k *keys) opencodeLogin(e *Entry, x *expander) {
	if v, ok := k.value.Get("oauth"); ok && v.Kind == syntax.Bool {
		e.Login.Off = v.Text == "false"
		return
	}
	k.adoptFault(k.login(e, x, loginKeys{object: "oauth", id: "clientId", secret: "clientSecret", scopes: "scope"}))
}

// loginTable is the table oauth of a server in ctxfs's own configuration.
type loginTable struct {
	ClientID     string   `toml:"client_id"`
	ClientSecret string   `toml:"client_secret"`
	Scopes       []string `toml:"scopes"`
	RedirectURI  string   `toml:"redirect_uri"`
	MetadataURL  string   `toml:"metadata_url"`
}

func (o *loginTable) login(x *expander) config.Login {
	if o == nil {
		return config.Login{}
	}
	return config.Login{
		ClientID: x.text("oauth", o.ClientID), ClientSecret: x.text("oauth", o.ClientSecret), Scopes: x.texts("oauth", o.Scopes),
		RedirectURL: x.text("oauth", o.RedirectURI), MetadataURL: x.text("oauth", o.MetadataURL),
	}
}

// fillLogins fills in the settings that concern logins.
func (table mcpTable) fillLogins(into *Settings) error {
	switch table.TokenStore {
	case "", "keyring":
	case "file":
		into.TokenFiles = true
	default:
		return fmt.Errorf("token_store in [mcp] is %q, and not \"keyring\" or \"file\"", clean.Line(table.TokenStore))
	}
	if u, err := url.Parse(table.ClientIDDocument); table.ClientIDDocument != "" && (err != nil || u.Scheme != "https" || u.Path == "") {
		return errors.New("client_id_document in [mcp] is not the https address of a document")
	}
	into.ClientIDDocument = table.ClientIDDocument
	return nil
}
