package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/syntax"
)

// loginEntry is what an entry says of logging in to its server.
type loginEntry struct {
	clientID     string
	clientSecret string
	scopes       []string
	redirect     string // the redirect address
	metadata     string // the address of the authorization server's metadata
	off          bool   // no login is wanted
}

func (l loginEntry) same(o loginEntry) bool {
	return l.clientID == o.clientID && l.clientSecret == o.clientSecret && slices.Equal(l.scopes, o.scopes) &&
		l.redirect == o.redirect && l.metadata == o.metadata && l.off == o.off
}

// section is an object within the entry; ok tells whether it is there.
func (e *entry) section(key string) (inner *entry, ok bool) {
	v, ok := e.value.Get(key)
	if ok && v.Kind != syntax.Object {
		e.fail(v, "%q is %s, not an object", key, v.Kind)
		ok = false
	}
	return &entry{value: v}, ok
}

// fold takes over the fault of a section.
func (e *entry) fold(inner *entry) {
	if e.fault == "" {
		e.fault = inner.fault
	}
}

// scopes is an array of texts, or one text with spaces between them.
func (e *entry) scopes(key string, x *expander) []string {
	if v, ok := e.value.Get(key); ok && v.Kind == syntax.Text {
		return strings.Fields(x.text(key, v.Text))
	}
	return x.texts(key, e.texts(key))
}

// claudeLogin reads the key `oauth` of Claude Code.
func (e *entry) claudeLogin(d *definition, x *expander) {
	o, ok := e.section("oauth")
	if !ok {
		return
	}
	d.login.clientID = x.text("oauth.clientId", o.text("clientId"))
	d.login.metadata = x.text("oauth.authServerMetadataUrl", o.text("authServerMetadataUrl"))
	d.login.scopes = o.scopes("scopes", x)
	if v, ok := o.value.Get("callbackPort"); ok {
		port, err := strconv.ParseUint(v.Text, 10, 16)
		if err != nil || port == 0 {
			o.fail(v, "%q is not a port", "callbackPort")
		}
		d.login.redirect = fmt.Sprintf("http://localhost:%d/callback", port)
	}
	e.fold(o)
}

// cursorRedirect is the redirect address that Cursor has people register.
const cursorRedirect = "http://localhost:8787/callback"

// cursorLogin reads the key `auth` of Cursor.
func (e *entry) cursorLogin(d *definition, x *expander) {
	o, ok := e.section("auth")
	if !ok {
		return
	}
	d.login.clientID = x.text("auth.CLIENT_ID", o.text("CLIENT_ID"))
	d.login.clientSecret = x.text("auth.CLIENT_SECRET", o.text("CLIENT_SECRET"))
	d.login.scopes = o.scopes("scopes", x)
	if d.login.clientID != "" {
		d.login.redirect = cursorRedirect
	}
	e.fold(o)
}

// geminiLogin reads the key `oauth` of Gemini CLI.
func (e *entry) geminiLogin(d *definition, x *expander) {
	o, ok := e.section("oauth")
	if !ok {
		return
	}
	d.login.clientID = x.text("oauth.clientId", o.text("clientId"))
	d.login.clientSecret = x.text("oauth.clientSecret", o.text("clientSecret"))
	d.login.scopes = o.scopes("scopes", x)
	if d.login.clientID != "" {
		d.login.redirect = x.text("oauth.redirectUri", o.text("redirectUri"))
	}
	e.fold(o)
}

// codexLogin reads the keys `oauth` and `scopes` of Codex.
func (e *entry) codexLogin(d *definition, x *expander) {
	d.login.scopes = e.scopes("scopes", x)
	if o, ok := e.section("oauth"); ok {
		d.login.clientID = x.text("oauth.client_id", o.text("client_id"))
		e.fold(o)
	}
}

// opencodeLogin reads the key `oauth` of opencode, which may be false.
func (e *entry) opencodeLogin(d *definition, x *expander) {
	if v, ok := e.value.Get("oauth"); ok && v.Kind == syntax.Bool {
		d.login.off = v.Text == "false"
		return
	}
	o, ok := e.section("oauth")
	if !ok {
		return
	}
	d.login.clientID = x.text("oauth.clientId", o.text("clientId"))
	d.login.clientSecret = x.text("oauth.clientSecret", o.text("clientSecret"))
	d.login.scopes = o.scopes("scope", x)
	e.fold(o)
}

// ownLogin is `oauth` of a server in ctxfs's own configuration.
type ownLogin struct {
	ClientID     string   `toml:"client_id"`
	ClientSecret string   `toml:"client_secret"`
	Scopes       []string `toml:"scopes"`
	RedirectURI  string   `toml:"redirect_uri"`
	MetadataURL  string   `toml:"metadata_url"`
}

func (o *ownLogin) read(x *expander) loginEntry {
	if o == nil {
		return loginEntry{}
	}
	return loginEntry{
		clientID: x.text("oauth", o.ClientID), clientSecret: x.text("oauth", o.ClientSecret), scopes: x.texts("oauth", o.Scopes),
		redirect: x.text("oauth", o.RedirectURI), metadata: x.text("oauth", o.MetadataURL),
	}
}

// loginSettings are those of all logins.
type loginSettings struct {
	files    bool   // secrets go into files, not into the keyring
	document string // the address of a client ID metadata document
}

func (l *loginSettings) read(table own) error {
	switch table.TokenStore {
	case "", "keyring":
	case "file":
		l.files = true
	default:
		return fmt.Errorf("token_store in [mcp] is %q, and not \"keyring\" or \"file\"", clean.Line(table.TokenStore))
	}
	if u, err := url.Parse(table.ClientIDDocument); table.ClientIDDocument != "" && (err != nil || u.Scheme != "https" || u.Path == "") {
		return errors.New("client_id_document in [mcp] is not the https address of a document")
	}
	l.document = table.ClientIDDocument
	return nil
}
