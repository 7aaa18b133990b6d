package terminals

import (
	"testing"

	"ctxfs/fs/fstest"
)

// TestReadyLine has what servers print when they are ready.
func TestReadyLine(t *testing.T) {
	for name, c := range map[string]struct{ text, port, want string }{
		"Vite": {"\n> web@0.0.0 dev\n> vite\n\n\n  VITE v7.1.2  ready in 312 ms\n\n  ➜  Local:   http://localhost:5173/\n  ➜  Network: use --host to expose\n",
			"[::1]:5173", "➜ Local: http://localhost:5173/"},
		"Next.js": {"   ▲ Next.js 15.4.1\n   - Local:        http://localhost:3000\n   - Network:      http://10.0.0.4:3000\n\n ✓ Starting...\n ✓ Ready in 1204ms\n",
			"*:3000", "- Local: http://localhost:3000"},
		"Python": {"Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...\n", "*:8000", "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ..."},
		"uvicorn": {"INFO:     Started server process [811]\nINFO:     Waiting for application startup.\nINFO:     Application startup complete.\nINFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)\n",
			"127.0.0.1:8000", "INFO: Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)"},
		"node --inspect":      {"Debugger listening on ws://127.0.0.1:9229/0f2c\nserver on http://localhost:4000\n", "*:4000", "server on http://localhost:4000"},
		"Redis":               {"812:M * Running mode=standalone, port=6379.\n812:M * Ready to accept connections tcp\n", "*:6379", "812:M * Ready to accept connections tcp"},
		"requests come later": {"Listening on port 3000\n127.0.0.1:3000 GET /ready 200\n", "*:3000", "Listening on port 3000"},
		"another port":        {"proxying to http://localhost:30001\n", "*:3000", ""},
		"silence":             {"", "*:3000", ""},
		"escapes":             {"ready \x1b[31m`x`\n", "*:3000", "ready `x`"},
	} {
		fstest.Equal(t, readyIn(c.text, []string{c.port}), c.want, name)
	}
}
