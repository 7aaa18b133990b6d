package page

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// browser is Chromium without a window, driven over a pipe by its DevTools protocol.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	n       int
	session string
	// fetched are the addresses that the page asked for.
	fetched []string
}

// openBrowser starts the browser, or skips the test where there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	fstest.OptIn(t, "chromium")
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no browser is installed: Debian's package is chromium")
	}
	commands, to, err := os.Pipe()
	fstest.Must(t, err)
	from, answers, err := os.Pipe()
	fstest.Must(t, err)
	profile := t.TempDir()
	run := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-breakpad", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	run.Env = append(os.Environ(), "HOME="+profile, "XDG_CONFIG_HOME="+profile, "XDG_CACHE_HOME="+profile)
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.ExtraFiles = []*os.File{commands, answers}
	fstest.Must(t, run.Start())
	commands.Close()
	answers.Close()
	b := &browser{t: t, to: to, from: bufio.NewReaderSize(from, 1<<20)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil, nil)
		to.Close()
		_ = run.Wait()
		from.Close()
		_ = syscall.Kill(-run.Process.Pid, syscall.SIGKILL) // its helpers may still write into the profile
		// The browser ends some of its processes when it likes.
		fstest.Eventually(t, "the profile is gone", func() bool { return os.RemoveAll(profile) == nil })
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.call("Network.enable", nil, nil)
	b.call("Page.enable", nil, nil)
	return b
}

// message is an answer or an event.
type message struct {
	ID     int
	Method string
	Params struct{ Request struct{ URL string } }
	Result json.RawMessage
	Error  *struct{ Message string }
}

func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.n++
	m := map[string]any{"id": b.n, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	fstest.Must(b.t, err)
	_, err = b.to.Write(append(text, 0))
	fstest.Must(b.t, err)
	for got := b.next(); ; got = b.next() {
		if got.ID != b.n {
			continue
		}
		if got.Error != nil {
			b.t.Fatalf("%s: %s", method, got.Error.Message)
		}
		if result != nil {
			fstest.Must(b.t, json.Unmarshal(got.Result, result))
		}
		return
	}
}

func (b *browser) next() (m message) {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	fstest.Must(b.t, err)
	fstest.Must(b.t, json.Unmarshal(text[:len(text)-1], &m))
	if m.Method == "Network.requestWillBeSent" {
		b.fetched = append(b.fetched, m.Params.Request.URL)
	}
	return m
}

// open opens a file in a window of a size, with a preference for light or dark.
func (b *browser) open(path string, width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for b.next().Method != "Page.loadEventFired" {
	}
}

// eval returns the value of an expression of JavaScript.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	var got struct {
		Result struct{ Value json.RawMessage }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	fstest.Must(b.t, json.Unmarshal(got.Result.Value, into))
}

// screenshot writes what is shown to a file.
func (b *browser) screenshot(path string) {
	b.t.Helper()
	var got struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &got)
	png, err := base64.StdEncoding.DecodeString(got.Data)
	fstest.Must(b.t, err)
	fstest.Must(b.t, os.WriteFile(path, png, 0o600))
}

// TestInABrowser opens a page as people see it: in wide and narrow windows, light and dark.
// CTXFS_TEST_SCREENSHOTS names a folder for pictures of it.
func TestInABrowser(t *testing.T) {
	b := openBrowser(t)
	path := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	fstest.Must(t, err)
	fstest.Must(t, Write(f, hostile()))
	fstest.Must(t, f.Close())
	for _, window := range []struct {
		width  int
		scheme string
	}{{1280, "light"}, {1280, "dark"}, {390, "light"}} {
		b.fetched = nil
		b.open(path, window.width, 1000, window.scheme)
		var seen struct {
			Charts, Scripts, Alerts, Wide int
			Page                          int
			Background, Outside           string
		}
		b.eval(`(() => {
			const visible = [...document.querySelectorAll("svg")].filter(e => e.getBoundingClientRect().height > 50);
			const inside = e => e.closest(".scroll") !== null;
			const outside = [...document.querySelectorAll("main *")].filter(e => !inside(e) && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + " " + e.textContent.slice(0, 40));
			const cut = visible.flatMap(s => [...s.querySelectorAll("text")].filter(t => { const a = t.getBoundingClientRect(), b = s.getBoundingClientRect(); return a.right > b.right + 2 || a.left < b.left - 2; }).map(t => "cut: " + t.textContent));
			return {Charts: visible.length, Scripts: document.scripts.length, Alerts: window.alerted ? 1 : 0, Page: innerWidth, Wide: document.documentElement.scrollWidth,
				Background: getComputedStyle(document.body).backgroundColor, Outside: outside.concat(cut).join("; ")};
		})()`, &seen)
		if seen.Charts != 2 || seen.Scripts != 0 || seen.Alerts != 0 {
			t.Errorf("in a window of %d (%s) there are %d charts and %d scripts", window.width, window.scheme, seen.Charts, seen.Scripts)
		}
		if seen.Wide > seen.Page || seen.Outside != "" {
			t.Errorf("in a window of %d the page is %d wide; outside: %s", window.width, seen.Wide, seen.Outside)
		}
		fstest.Equal(t, seen.Background == "rgb(11, 17, 32)", (window.scheme == "dark"), "preferred, the background", window.scheme, seen.Background)
		for _, url := range b.fetched {
			if !strings.HasPrefix(url, "file://"+path) {
				t.Errorf("the page fetches %s", url)
			}
		}
		if dir := os.Getenv("CTXFS_TEST_SCREENSHOTS"); dir != "" {
			b.screenshot(filepath.Join(dir, window.scheme+"-"+map[bool]string{true: "wide", false: "narrow"}[window.width > 500]+".png"))
		}
	}
}
