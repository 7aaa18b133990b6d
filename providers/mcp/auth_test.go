package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/logins"
	"ctxfs/providers/mcp/oauthtest"
)

// guarded is a world with a server called "guarded" that requires logins.
func guarded(t *testing.T, f oauthtest.Faults, more map[string]any) (*world, *oauthtest.Server) {
	t.Helper()
	w := newWorld(t)
	w.opts.Environ = func() []string { // no keyring
		return slices.DeleteFunc(os.Environ(), func(entry string) bool {
			return strings.HasPrefix(entry, "DBUS_SESSION_BUS_ADDRESS=") || strings.HasPrefix(entry, "XDG_RUNTIME_DIR=")
		})
	}
	w.opts.State = filepath.Join(w.home, ".local", "state", "ctxfs", "mcp")
	s := oauthtest.NewOver(w.network.Serve)
	f.Echo = true
	s.Set(f)
	entry := map[string]any{"type": "http", "url": s.URL}
	for k, v := range more {
		entry[k] = v
	}
	w.claude(map[string]any{"guarded": entry})
	return w.open(), s
}

// login logs in to a server, with a browser that follows every link.
func (w *world) login(server string) (logins.Login, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var browser sync.WaitGroup
	defer browser.Wait()
	return w.p.Login(ctx, server, oauth.Prompt{
		Note: func(text string) { w.t.Error(text) },
		Show: func(address string) {
			browser.Go(func() {
				client := &http.Client{Transport: w.network}
				res, err := client.Get(address)
				if err != nil {
					w.t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			})
		},
	})
}

func (w *world) mustLogin(server string) logins.Login {
	w.t.Helper()
	l, err := w.login(server)
	if err != nil || !l.LoggedIn {
		w.t.Fatalf("%+v, %v", l, err)
	}
	if err := w.p.Restart(server); err != nil {
		w.t.Fatal(err)
	}
	return l
}

func TestServerThatWantsALogin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, s := guarded(t, oauthtest.Faults{}, nil)
		var log bytes.Buffer
		w.opts.Env.Log = slog.New(slog.NewTextHandler(&log, nil))
		w.reopen().start()
		text := w.untilState("guarded", "needs-auth")
		fstest.Contains(t, text, "\nerror: the server requires a login (HTTP status 401)\n", "\nfix: ctxfs auth guarded\n")
		if l := w.p.Logins(); len(l) != 1 || l[0].LoggedIn || l[0].Server != "guarded" {
			t.Errorf("%+v", l)
		}

		l := w.mustLogin("guarded")
		if l.Issuer != s.Issuer || l.Stored != "file" || strings.Join(l.Scopes, " ") != "tools" {
			t.Errorf("%+v", l)
		}
		w.untilState("guarded", "ready") // at once: the next try would be after an hour
		if w.ls("guarded/tools") != "whoami.json" {
			t.Error(w.ls("guarded/tools"))
		}

		// Another process of ours finds the login.
		w.reopen().startAll()
		w.untilState("guarded", "ready")

		// Revoked: renewed if possible, else it is reported, and the tools stay.
		s.RevokeAccess()
		w.p.Restart("guarded")
		w.untilState("guarded", "ready")
		s.RevokeAccess()
		s.RevokeRefresh()
		w.p.Restart("guarded")
		text = w.untilState("guarded", "needs-auth")
		fstest.Contains(t, text, "the authorization server has ended the login: invalid_grant", "\nfix: ctxfs auth guarded\n", "1 tool")
		if w.ls("guarded/tools") != "whoami.json" {
			t.Error(w.ls("guarded/tools"))
		}
		w.mustLogin("guarded")
		w.untilState("guarded", "ready")

		// Its end while the server runs.
		if was, untold, err := w.p.Logout(t.Context(), "guarded"); !was.LoggedIn || was.Server != "guarded" || untold != nil || err != nil {
			t.Errorf("%+v, %v, %v", was, untold, err)
		}
		w.p.Restart("guarded")
		fstest.Contains(t, w.untilState("guarded", "needs-auth"), "the server requires a login")

		w.showsNone(s.Secrets(), log.String())
	})
}

// showsNone checks that no secret is anywhere but where logins are stored.
func (w *world) showsNone(secrets []string, texts ...string) {
	w.t.Helper()
	if len(secrets) < 4 {
		w.t.Errorf("too few secrets: %d", len(secrets))
	}
	err := filepath.WalkDir(w.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, filepath.Join(w.opts.State, "logins")) {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
	for _, path := range []string{"INDEX.md", "guarded/STATUS.md", "guarded/SERVER_METADATA.json"} {
		texts = append(texts, w.cat(path))
	}
	for _, text := range texts {
		fstest.ContainsNot(w.t, text, secrets...)
	}
}

// TestStoredLoginOutOfReach reports what is wrong with it.
func TestStoredLoginOutOfReach(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := guarded(t, oauthtest.Faults{}, nil)
		w.start()
		w.untilState("guarded", "needs-auth")
		w.mustLogin("guarded")
		w.untilState("guarded", "ready")
		files, err := filepath.Glob(filepath.Join(w.opts.State, "logins", "*.json"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		w.write(files[0], `{"place": "keyring"}`)
		w.p.Restart("guarded")
		fstest.Contains(t, w.untilState("guarded", "needs-auth"), "the login is in the system keyring, which cannot be reached from here",
			"fix: start ctxfs where the keyring can be reached, or log in again", "then: ctxfs restart guarded")
		w.write(files[0], `{`)
		w.p.Restart("guarded")
		w.await("the damage is told", func() bool { return strings.Contains(w.cat("guarded/STATUS.md"), "the stored login is damaged") })
		w.mustLogin("guarded")
		w.untilState("guarded", "ready")
	})
}

// TestTokenEndpointDown does not take it for the end of the login.
func TestTokenEndpointDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, s := guarded(t, oauthtest.Faults{}, nil)
		w.start()
		w.untilState("guarded", "needs-auth")
		w.mustLogin("guarded")
		w.untilState("guarded", "ready")
		s.RevokeAccess()
		s.Set(oauthtest.Faults{Down: true, Echo: true})
		w.p.Restart("guarded")
		text := w.untilState("guarded", "error")
		fstest.Contains(t, text, "the login cannot be renewed now: the token endpoint answered with HTTP status 503", "next try: ", "ctxfs restart guarded")
		fstest.ContainsNot(t, text, s.URL)
		s.Set(oauthtest.Faults{})
		w.p.Restart("guarded")
		w.untilState("guarded", "ready")
		w.showsNone(s.Secrets())
	})
}

func TestLoginThatDoesNotGoFarEnough(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, s := guarded(t, oauthtest.Faults{}, nil)
		w.start()
		w.untilState("guarded", "needs-auth")
		w.mustLogin("guarded")
		w.untilState("guarded", "ready")
		s.Set(oauthtest.Faults{Scope: "admin"})
		w.p.Restart("guarded")
		text := w.untilState("guarded", "needs-auth")
		fstest.Contains(t, text, `insufficient_scope): the server requires the scope "admin" as well`, "\nfix: ctxfs auth guarded\n")
		if l := w.p.Logins()[0]; strings.Join(l.Missing, " ") != "admin" {
			t.Errorf("%+v", l)
		}
		if l := w.mustLogin("guarded"); strings.Join(l.Scopes, " ") != "admin tools" {
			t.Errorf("%+v", l)
		}
		w.untilState("guarded", "ready")
	})
}

func TestServerThatWantsWhoKnowsWhat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := guarded(t, oauthtest.Faults{NoChallenge: true}, nil)
		w.start()
		fstest.Contains(t, w.untilState("guarded", "needs-auth"), "\nfix: ctxfs auth guarded; if the server takes a token instead, put it into the `headers`")
	})
}

// TestStreamThatWantsALogin asks for it though the server takes no requests
// where its stream is.
func TestStreamThatWantsALogin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, s := guarded(t, oauthtest.Faults{StreamOnly: true}, nil)
		w.claude(map[string]any{
			"guarded": map[string]any{"type": "http", "url": s.URL},
			"stream":  map[string]any{"type": "sse", "url": s.URL},
		})
		w.p.Reload()
		w.start()
		fstest.Contains(t, w.untilState("guarded", "needs-auth"), "\nfix: ctxfs auth guarded\n")
		fstest.Contains(t, w.untilState("stream", "needs-auth"), "\nfix: ctxfs auth stream\n")
	})
}

// TestLoginEntries reads what entries say of logins.
func TestLoginEntries(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		t.Setenv("CLIENT", "from-env")
		w.claude(map[string]any{
			"claude": map[string]any{"type": "http", "url": "https://a.example/mcp", "oauth": map[string]any{
				"clientId": "${CLIENT}", "callbackPort": 9100, "authServerMetadataUrl": "https://a.example/m", "scopes": "x y",
			}},
			"badport": map[string]any{"type": "http", "url": "https://b.example/mcp", "oauth": map[string]any{"callbackPort": 70000}},
			"badauth": map[string]any{"type": "http", "url": "https://c.example/mcp", "oauth": 5},
			"twin":    map[string]any{"type": "http", "url": "https://d.example/mcp"},
			"header":  map[string]any{"type": "http", "url": "https://e.example/mcp", "headers": map[string]any{"authorization": "Bearer x"}},
			"process": map[string]any{"command": "true"},
		})
		w.cursor(map[string]any{"cursor": map[string]any{"url": "https://d.example/mcp", "auth": map[string]any{
			"CLIENT_ID": "c1", "CLIENT_SECRET": "s3cret-s3cret", "scopes": []string{"z"},
		}}})
		w.settings("[mcp]\ntoken_store = \"file\"\nclient_id_document = \"https://me.example/ctxfs.json\"\n" +
			"[mcp.servers.own]\nurl = \"https://f.example/mcp\"\n[mcp.servers.own.oauth]\nclient_id = \"o1\"\nscopes = [\"q\"]\nredirect_uri = \"http://localhost:9/x\"\n")
		w.opts.State = filepath.Join(w.home, "state")
		w.open()
		defs := make(map[string]*config.Server)
		for _, s := range w.p.All() {
			d, file, _ := s.Named()
			defs[file] = d
		}
		for name, want := range map[string]config.Login{
			"claude": {ClientID: "from-env", RedirectURL: "http://localhost:9100/callback", MetadataURL: "https://a.example/m", Scopes: []string{"x", "y"}},
			"twin":   {ClientID: "c1", ClientSecret: "s3cret-s3cret", RedirectURL: "http://localhost:8787/callback", Scopes: []string{"z"}},
			"own":    {ClientID: "o1", RedirectURL: "http://localhost:9/x", Scopes: []string{"q"}},
		} {
			if d := defs[name]; d == nil || !d.Login.Same(want) {
				t.Errorf("%s: %+v, want %+v", name, d, want)
			}
		}
		if got := w.p.logins.Document(); got != "https://me.example/ctxfs.json" {
			t.Errorf("document %q", got)
		}
		fstest.Contains(t, w.cat("badport/STATUS.md"), "state: error", `"callbackPort" is not a port`)
		fstest.Contains(t, w.cat("badauth/STATUS.md"), "state: error", `"oauth" is a number, not an object`)
		var fault *logins.Error
		for name, words := range map[string]string{
			"header": "Authorization", "process": "a program on this machine", "badport": "callbackPort", "nobody": "no server is called",
		} {
			_, err := w.login(name)
			if err == nil || !strings.Contains(err.Error(), words) || name != "nobody" && !errors.As(err, &fault) {
				t.Errorf("%s: %v", name, err)
			}
		}

		w.settings("[mcp]\ntoken_store = \"pocket\"\n")
		w.p.Reload()
		fstest.Contains(t, w.cat("INDEX.md"), `token_store in [mcp] is "pocket", and not "keyring" or "file"`)
		w.settings("[mcp]\nclient_id_document = \"http://me.example/\"\n")
		w.p.Reload()
		fstest.Contains(t, w.cat("INDEX.md"), `client_id_document in [mcp] is not the https address of a document`)
	})
}
