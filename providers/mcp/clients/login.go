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

// section is an object within the entry; ok tells whether it is there.
func (k *keys) section(key string) (inner *keys, ok bool) {
	v, ok := k.value.Get(key)
	if ok && v.Kind != syntax.Object {
		k.fail(v, "%q is %s, not an object", key, v.Kind)
		ok = false
	}
	return &keys{value: v}, ok
}

// fold takes over the fault of a section.
func (k *keys) fold(inner *keys) {
	if k.fault == "" {
		k.fault = inner.fault
	}
}

// scopes is an array of texts, or one text with spaces between them.
func (k *keys) scopes(key string, x *expander) []string {
	if v, ok := k.value.Get(key); ok && v.Kind == syntax.Text {
		return strings.Fields(x.text(key, v.Text))
	}
	return x.texts(key, k.texts(key))
}

// claudeLogin reads the key `oauth` of Claude Code.
func (k *keys) claudeLogin(d *Entry, x *expander) {
	o, ok := k.section("oauth")
	if !ok {
		return
	}
	d.Login.ClientID = x.text("oauth.clientId", o.text("clientId"))
	d.Login.MetadataURL = x.text("oauth.authServerMetadataUrl", o.text("authServerMetadataUrl"))
	d.Login.Scopes = o.scopes("scopes", x)
	if v, ok := o.value.Get("callbackPort"); ok {
		port, err := strconv.ParseUint(v.Text, 10, 16)
		if err != nil || port == 0 {
			o.fail(v, "%q is not a port", "callbackPort")
		}
		d.Login.RedirectURL = fmt.Sprintf("http://localhost:%d/callback", port)
	}
	k.fold(o)
}

// cursorRedirect is the redirect address that Cursor has people register.
const cursorRedirect = "http://localhost:8787/callback"

// cursorLogin reads the key `auth` of Cursor.
func (k *keys) cursorLogin(d *Entry, x *expander) {
	o, ok := k.section("auth")
	if !ok {
		return
	}
	d.Login.ClientID = x.text("auth.CLIENT_ID", o.text("CLIENT_ID"))
	d.Login.ClientSecret = x.text("auth.CLIENT_SECRET", o.text("CLIENT_SECRET"))
	d.Login.Scopes = o.scopes("scopes", x)
	if d.Login.ClientID != "" {
		d.Login.RedirectURL = cursorRedirect
	}
	k.fold(o)
}

// geminiLogin reads the key `oauth` of Gemini CLI.
func (k *keys) geminiLogin(d *Entry, x *expander) {
	o, ok := k.section("oauth")
	if !ok {
		return
	}
	d.Login.ClientID = x.text("oauth.clientId", o.text("clientId"))
	d.Login.ClientSecret = x.text("oauth.clientSecret", o.text("clientSecret"))
	d.Login.Scopes = o.scopes("scopes", x)
	if d.Login.ClientID != "" {
		d.Login.RedirectURL = x.text("oauth.redirectUri", o.text("redirectUri"))
	}
	k.fold(o)
}

// codexLogin reads the keys `oauth` and `scopes` of Codex.
func (k *keys) codexLogin(d *Entry, x *expander) {
	d.Login.Scopes = k.scopes("scopes", x)
	if o, ok := k.section("oauth"); ok {
		d.Login.ClientID = x.text("oauth.client_id", o.text("client_id"))
		k.fold(o)
	}
}

// opencodeLogin reads the key `oauth` of opencode, which may be false.
func (k *keys) opencodeLogin(d *Entry, x *expander) {
	if v, ok := k.value.Get("oauth"); ok && v.Kind == syntax.Bool {
		d.Login.Off = v.Text == "false"
		return
	}
	o, ok := k.section("oauth")
	if !ok {
		return
	}
	d.Login.ClientID = x.text("oauth.clientId", o.text("clientId"))
	d.Login.ClientSecret = x.text("oauth.clientSecret", o.text("clientSecret"))
	d.Login.Scopes = o.scopes("scope", x)
	k.fold(o)
}

// ownLogin is `oauth` of a server in ctxfs's own configuration.
type ownLogin struct {
	ClientID     string   `toml:"client_id"`
	ClientSecret string   `toml:"client_secret"`
	Scopes       []string `toml:"scopes"`
	RedirectURI  string   `toml:"redirect_uri"`
	MetadataURL  string   `toml:"metadata_url"`
}

func (o *ownLogin) read(x *expander) config.Login {
	if o == nil {
		return config.Login{}
	}
	return config.Login{
		ClientID: x.text("oauth", o.ClientID), ClientSecret: x.text("oauth", o.ClientSecret), Scopes: x.texts("oauth", o.Scopes),
		RedirectURL: x.text("oauth", o.RedirectURI), MetadataURL: x.text("oauth", o.MetadataURL),
	}
}

// takeLogins reads the settings of all logins.
func (table own) takeLogins(into *Settings) error {
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
