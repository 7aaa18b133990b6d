#!/usr/bin/env python3
"""world.py build DIR with|without X|Y: makes a home with five repositories, the sessions of
agents in them, and what runs there. Everything in the logs that a script wrote was really
run. DIR/env is the environment of what `run` runs there."""
import datetime as dt, glob, json, os, re, shutil, subprocess, sys, tarfile, time, uuid, hashlib

KIT = os.path.dirname(os.path.abspath(__file__))
CTXFS, SRC = os.environ["CTXFS_BIN"], os.environ["TRIAL_SOURCES"]
DATA = os.path.realpath(KIT + "/../../../shared/data/sessions") # see CONTRIBUTING.md
DIR, ARM, SET = os.path.abspath(sys.argv[2]), sys.argv[3], sys.argv[4]
HOME = DIR + "/home"
MODS = subprocess.run(["go", "env", "GOMODCACHE", "GOCACHE"], capture_output=True, text=True).stdout.split()
NOW = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
ENV = {"HOME": HOME, "USER": "dev", "LOGNAME": "dev", "SHELL": "/bin/bash", "TERM": "dumb", "LANG": "C.UTF-8",
       "PATH": HOME + "/bin:/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin", "GOMODCACHE": MODS[0], "GOCACHE": MODS[1],
       "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GIT_CONFIG_NOSYSTEM": "1", "npm_config_update_notifier": "false"}

def run(cmd, cwd, ok=True, **env):
    p = subprocess.run(["bash", "-c", cmd], cwd=cwd, env={**ENV, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if ok and p.returncode:
        sys.exit(f"{cwd}: {cmd}: exit {p.returncode}\n{p.stdout}")
    return p.returncode, p.stdout

def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write(text)

def ago(**kw): return NOW - dt.timedelta(**kw)
def stamp(t): return t.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (t.microsecond // 1000)

def git(repo, *args, at=None, who="Mara Lind", ok=True):
    t = stamp(at)[:19] + "Z" if at else stamp(NOW)[:19] + "Z"
    mail = who.split()[0].lower() + "@example.com"
    p = subprocess.run(["git", *args], cwd=repo, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env={**ENV, "GIT_AUTHOR_DATE": t, "GIT_COMMITTER_DATE": t, "GIT_AUTHOR_NAME": who, "GIT_COMMITTER_NAME": who,
                            "GIT_AUTHOR_EMAIL": mail, "GIT_COMMITTER_EMAIL": mail, "GIT_ALLOW_PROTOCOL": "file"})
    if ok and p.returncode: sys.exit(f"git {args}: {p.stdout}")
    return p.stdout.strip()

def commit(repo, msg, at, who="Mara Lind", paths=(".",)):
    git(repo, "add", "--", *paths); git(repo, "commit", "-qm", msg, at=at, who=who)

def unpack(tgz, dst, keep=lambda n: True):
    os.makedirs(dst, exist_ok=True)
    with tarfile.open(tgz) as t:
        for m in t.getmembers():
            n = m.name.split("/", 1)[1]
            if m.isfile() and keep(n):
                p = os.path.join(dst, n); os.makedirs(os.path.dirname(p), exist_ok=True)
                open(p, "wb").write(t.extractfile(m).read())

class Session:
    """A session whose commands are really run and whose edits are really made."""
    step = 17
    def __init__(self, cwd, at, id=None):
        self.cwd, self.t, self.n = cwd, at, 0
        self.id = id or str(uuid.uuid4())
        self.lines = []; self.start()
    def tick(self, s=None): self.t += dt.timedelta(seconds=s or self.step); self.n += 1
    def put(self, record): self.lines.append(json.dumps(record)); self.save()
    def save(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        open(self.path, "w").write("\n".join(self.lines) + "\n")
        os.utime(self.path, (self.t.timestamp(),) * 2)
    def bash(self, cmd, ok=True, cwd=None):
        rc, out = run(cmd, cwd or self.cwd, ok)
        self.call(cmd, rc, out); return out
    def edit(self, path, old, new):
        full = os.path.join(self.cwd, path); body = open(full).read()
        assert old in body, (path, old)
        open(full, "w").write(body.replace(old, new, 1))
        self.edited(path, old, new); os.utime(full, (self.t.timestamp() - .5,) * 2)

class Claude(Session):
    def start(self):
        self.slug = re.sub(r"[^A-Za-z0-9]", "-", self.cwd)
        self.path = f"{HOME}/.claude/projects/{self.slug}/{self.id}.jsonl"; self.parent = None
    def record(self, type, message, **more):
        u = str(uuid.uuid4())
        branch = git(self.cwd, "rev-parse", "--abbrev-ref", "HEAD", ok=False)
        self.put({"parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": self.cwd, "sessionId": self.id, "version": "2.1.39",
                  "gitBranch": branch, "type": type, "message": message, "uuid": u, "timestamp": stamp(self.t), **more}); self.parent = u
    def user(self, text): self.tick(); self.record("user", {"role": "user", "content": text})
    def assistant(self, content, stop=None):
        self.tick(); self.record("assistant", {"model": "claude-opus-4-6", "id": "msg_" + uuid.uuid4().hex[:22], "type": "message", "role": "assistant", "content": [content],
            "stop_reason": stop, "usage": {"input_tokens": 6, "output_tokens": 180, "cache_read_input_tokens": 21000 + 700 * self.n}})
    def say(self, text): self.assistant({"type": "text", "text": text}, "end_turn")
    def tool(self, name, input, result, error=False):
        i = "toolu_" + uuid.uuid4().hex[:22]
        self.assistant({"type": "tool_use", "id": i, "name": name, "input": input}, "tool_use"); self.tick(3)
        r = {"tool_use_id": i, "type": "tool_result", "content": result}
        if error: r["is_error"] = True
        self.record("user", {"role": "user", "content": [r]})
    def call(self, cmd, rc, out):
        out = out[-6000:]; self.tool("Bash", {"command": cmd, "description": cmd.split()[0]}, out if rc == 0 else f"Exit code {rc}\n{out}", rc != 0)
    def read(self, path):
        full = os.path.join(self.cwd, path); body = open(full).read().split("\n")[:60]
        self.tool("Read", {"file_path": full}, "\n".join(f"{i+1:6}→{l}" for i, l in enumerate(body)))
    def edited(self, path, old, new):
        full = os.path.join(self.cwd, path); self.tool("Edit", {"file_path": full, "old_string": old, "new_string": new}, f"The file {full} has been updated.")
    def todos(self, *items):
        self.tool("TodoWrite", {"todos": [{"content": c, "status": s, "activeForm": c} for c, s in items]}, "Todos have been modified successfully.")

class Codex(Session):
    def start(self):
        self.path = f"{HOME}/.codex/sessions/{self.t:%Y/%m/%d}/rollout-{self.t:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"
        self.rec("session_meta", {"id": self.id, "timestamp": stamp(self.t), "cwd": self.cwd, "originator": "codex_cli_rs", "cli_version": "0.128.0", "source": "cli", "model_provider": "openai"})
        self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"}]})
    def rec(self, type, payload): self.put({"timestamp": stamp(self.t), "type": type, "payload": payload})
    def item(self, p): self.rec("response_item", p)
    def user(self, text):
        self.tick(); self.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}); self.rec("event_msg", {"type": "user_message", "message": text})
    def say(self, text):
        self.tick(); self.rec("event_msg", {"type": "agent_message", "message": text}); self.item({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
    def begin(self, cmd):
        self.tick(); i = "call_" + uuid.uuid4().hex[:20]
        self.item({"type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", cmd], "workdir": self.cwd}), "call_id": i}); return i
    def call(self, cmd, rc, out):
        i = self.begin(cmd); self.tick(3); self.item({"type": "function_call_output", "call_id": i, "output": f"Exit code: {rc}\nWall time: 2.1 seconds\nOutput:\n{out[-6000:]}"})
    def read(self, path): self.bash("sed -n 1,60p " + path)
    def edited(self, path, old, new):
        self.tick(); i = "call_" + uuid.uuid4().hex[:20]
        patch = "*** Begin Patch\n*** Update File: " + path + "\n@@\n" + "".join("-" + l + "\n" for l in old.split("\n")) + "".join("+" + l + "\n" for l in new.split("\n")) + "*** End Patch"
        self.item({"type": "custom_tool_call", "status": "completed", "call_id": i, "name": "apply_patch", "input": patch})
        self.tick(1); self.item({"type": "custom_tool_call_output", "call_id": i, "output": json.dumps({"output": "Success. Updated the following files:\nM " + path + "\n", "metadata": {"exit_code": 0, "duration_seconds": 0.0}})})

class Gemini(Session):
    def start(self):
        short = hashlib.sha256(self.cwd.encode()).hexdigest(); d = f"{HOME}/.gemini/tmp/{os.path.basename(self.cwd)}"
        write(d + "/.project_root", self.cwd + "\n")
        self.path = f"{d}/chats/session-{self.t:%Y-%m-%dT%H-%M}-{self.id[:8]}.jsonl"
        self.put({"sessionId": self.id, "projectHash": short, "startTime": stamp(self.t), "lastUpdated": stamp(self.t), "kind": "main"})
    def user(self, text): self.tick(); self.put({"id": str(uuid.uuid4()), "timestamp": stamp(self.t), "type": "user", "content": [{"text": text}]})
    def say(self, text): self.tick(); self.put({"id": str(uuid.uuid4()), "timestamp": stamp(self.t), "type": "gemini", "model": "gemini-3-pro", "content": text})
    def tool(self, name, args, response, status):
        self.tick(); i = name + "-" + uuid.uuid4().hex[:8]
        self.put({"id": str(uuid.uuid4()), "timestamp": stamp(self.t), "type": "gemini", "model": "gemini-3-pro", "content": "", "toolCalls": [
            {"id": i, "name": name, "args": args, "status": status, "timestamp": stamp(self.t), "result": [{"functionResponse": {"id": i, "name": name, "response": response}}]}]})
    def call(self, cmd, rc, out): self.tool("run_shell_command", {"command": cmd}, {"output": f"Command: {cmd}\nDirectory: (root)\nOutput: {out[-6000:]}\nExit Code: {rc}"} , "success" if rc == 0 else "error")
    def edited(self, path, old, new): self.tool("replace", {"file_path": os.path.join(self.cwd, path), "old_string": old, "new_string": new}, {"output": f"Successfully modified file: {path} (1 replacements)."}, "success")

class Pi(Session):
    def start(self):
        slug = "--" + self.cwd.strip("/").replace("/", "-") + "--"
        self.path = f"{HOME}/.pi/agent/sessions/{slug}/{self.t:%Y-%m-%dT%H-%M-%S}-000Z_{self.id}.jsonl"; self.parent = None
        self.put({"type": "session", "version": 3, "id": self.id, "timestamp": stamp(self.t), "cwd": self.cwd})
    def message(self, m):
        i = uuid.uuid4().hex[:8]; self.put({"type": "message", "id": i, "parentId": self.parent, "timestamp": stamp(self.t), "message": m}); self.parent = i
    def user(self, text): self.tick(); self.message({"role": "user", "content": [{"type": "text", "text": text}]})
    def say(self, text): self.tick(); self.message({"role": "assistant", "model": "gpt-5.1-codex", "content": [{"type": "text", "text": text}], "stopReason": "stop"})
    def tool(self, name, args, out, bad):
        self.tick(); i = "call_" + uuid.uuid4().hex[:12]
        self.message({"role": "assistant", "model": "gpt-5.1-codex", "content": [{"type": "toolCall", "id": i, "name": name, "arguments": args}], "stopReason": "toolUse"}); self.tick(2)
        self.message({"role": "toolResult", "toolCallId": i, "toolName": name, "content": [{"type": "text", "text": out}], "isError": bad})
    def call(self, cmd, rc, out): self.tool("bash", {"command": cmd}, out[-6000:] + (f"\n\nCommand exited with code {rc}" if rc else ""), rc != 0)
    def edited(self, path, old, new): self.tool("edit", {"path": path, "oldText": old, "newText": new}, f"Successfully replaced text in {path}.", False)

def real(src, dst, old, new, **when):
    """Places a real log: its folder is rewritten to a repository, and all its times are
    moved by the same span, so that the last is some days ago. Nothing else."""
    body = open(src, errors="replace").read()
    if old: body = body.replace(old, new)
    iso = re.compile(r"\b20[23]\d-[01]\d-[0-3]\dT\d\d:\d\d:\d\d")
    parse = lambda text: dt.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=dt.timezone.utc)
    stamps = re.findall(r'"timestamp": ?"(20[23]\d-[01]\d-[0-3]\dT\d\d:\d\d:\d\d)', body)
    if stamps:
        move = ago(**when) - parse(max(stamps))
        body = iso.sub(lambda m: (parse(m[0]) + move).strftime("%Y-%m-%dT%H:%M:%S"), body)
    write(dst, body); t = ago(**when).timestamp(); os.utime(dst, (t, t))

def claude_real(id, old, repo, **when):
    real(f"{DATA}/claude-code/{id}.jsonl", f"{HOME}/.claude/projects/{re.sub(r'[^A-Za-z0-9]', '-', repo)}/{id}.jsonl", old, repo, **when)

def background(name, cmd, cwd):
    """Starts a program that goes on: in a recorded terminal where there is ctxfs."""
    argv = ["bash", "-c", cmd]
    if ARM == "with": argv = [HOME + "/bin/ctxfs", "run", "--name", name, "--", *cmd.split()]
    p = subprocess.Popen(argv, cwd=cwd, env={**ENV, "TRIAL_WORLD": DIR}, stdin=subprocess.DEVNULL, stdout=open(f"{DIR}/{name}.out", "w"), stderr=subprocess.STDOUT, start_new_session=True)
    open(DIR + "/pids", "a").write(f"{p.pid} {name}\n"); return p

def terminal(cmd, cwd):
    """Runs a command as the user does in a terminal."""
    if ARM == "with": run(f"ctxfs run -- {cmd}", cwd, ok=False)
    else: run(cmd, cwd, ok=False)

def repo(name):
    d = f"{HOME}/src/{name}"; os.makedirs(d, exist_ok=True); git(d, "init", "-q", "-b", "main"); return d

def upstream(d, name):
    bare = f"{HOME}/srv/{name}.git"; os.makedirs(os.path.dirname(bare), exist_ok=True)
    run(f"git clone -q --bare {d} {bare}", HOME); git(d, "remote", "add", "origin", bare); git(d, "fetch", "-q", "origin")
    return bare

def theirs(bare, branch, change, msg, at):
    """A commit of somebody else on the upstream."""
    w = f"{DIR}/tmp/{uuid.uuid4().hex}"; run(f"git clone -q -b {branch} {bare} {w}", HOME); change(w); commit(w, msg, at, "Jonas Weir"); git(w, "push", "-q", "origin", branch)

# ---------------------------------------------------------------- cobra: Go, make, CI
def cobra():
    d = repo("cobra"); src = MODS[0] + "/github.com/spf13/cobra@v1.10.2"
    run(f"cp -r {src}/. {d}/ && chmod -R u+w {d}", HOME)
    git(d, "add", "LICENSE.txt", "README.md", "go.mod", "go.sum", ".gitignore", "Makefile"); git(d, "commit", "-qm", "Start from cobra 1.10.2", at=ago(days=40))
    commit(d, "Add the library", ago(days=39), paths=["*.go"]); commit(d, "Add documentation, site and CI", ago(days=38), "Jonas Weir")
    write(d + "/AGENTS.md", "# Working here\n\n- Errors begin with a lower-case letter and name the command: `cmd.CommandPath()`.\n- Run `gofmt -l .` before you are done.\n")
    write(d + "/doc/AGENTS.md", "# doc\n\nThe files in `doc/golden/` are generated. Never edit them by hand: run `go run ./doc/internal/regen` and commit what it writes.\n")
    write(d + "/doc/golden/README.md", "generated\n"); write(d + "/doc/internal/regen/main.go", 'package main\n\nfunc main() { println("regenerated") }\n')
    commit(d, "Rules for agents", ago(days=20)); git(d, "checkout", "-qb", "feat/args-limit")
    bare = upstream(d, "cobra"); git(d, "branch", "-q", "-u", "origin/feat/args-limit")
    theirs(bare, "feat/args-limit", lambda w: write(w + "/CONTRIBUTING.md", open(w + "/CONTRIBUTING.md").read() + "\nSign your commits.\n"), "Ask for signed commits", ago(days=3))
    claude_real("8897bd54-16f4-4a28-8e23-cb187c639e40", "/Users/dip/Repositories/cli", d, days=9)
    claude_real("38917d7d-9f69-4210-a3b0-eed0a9e97575", "/Users/gtrrz-victor/wks/cli", d, days=11)
    s = Claude(d, ago(days=2, hours=3)); s.user("Add a limit to the number of positional arguments: LimitArgs(n), with an error that names the command. Then teach the zsh completions about it.")
    s.read("args.go"); s.todos(("Add LimitArgs to args.go", "in_progress"), ("Offer no more words in zsh_completions.go once the limit is reached", "pending"), ("Describe LimitArgs in site/content/user_guide.md", "pending"))
    s.edit("args.go", "// MaximumNArgs returns an error if there are more than N args.", "// LimitArgs is MaximumNArgs with an error that names the limit first.\nfunc LimitArgs(n int) PositionalArgs {\n\treturn func(cmd *Command, args []string) error {\n\t\tif len(args) > n {\n\t\t\treturn fmt.Errorf(\"limit %d: %s got %d arg(s)\", n, cmd.CommandPath(), len(args))\n\t\t}\n\t\treturn nil\n\t}\n}\n\n// MaximumNArgs returns an error if there are more than N args.")
    s.bash("go vet ."); s.bash("go test -run 'Args' ."); s.bash("git add args.go && GIT_COMMITTER_DATE='%s' git -c user.name='Mara Lind' -c user.email=mara@example.com commit -qm 'args: LimitArgs' --date='%s'" % (stamp(s.t)[:19] + "Z", stamp(s.t)[:19] + "Z"))
    write(d + "/limit_example_test.go", 'package cobra\n\nimport "fmt"\n\nfunc ExampleLimitArgs() {\n\tc := &Command{Use: "app", Args: LimitArgs(1)}\n\tfmt.Println(c.ValidateArgs([]string{"a", "b"}))\n\t// Output: limit 1: app got 2 arg(s)\n}\n')
    s.bash("go test -run ExampleLimitArgs ."); s.bash("git add limit_example_test.go && GIT_COMMITTER_DATE='%s' git -c user.name='Mara Lind' -c user.email=mara@example.com commit -qm 'args: an example of LimitArgs' --date='%s'" % (stamp(s.t)[:19] + "Z", stamp(s.t)[:19] + "Z"))
    s.todos(("Add LimitArgs to args.go", "completed"), ("Offer no more words in zsh_completions.go once the limit is reached", "in_progress"), ("Describe LimitArgs in site/content/user_guide.md", "pending"))
    s.read("zsh_completions.go"); s.edit("zsh_completions.go", "local lastParam lastChar flagPrefix requestComp out directive comp lastComp noSpace keepOrder", "local lastParam lastChar flagPrefix requestComp out directive comp lastComp noSpace keepOrder limit")
    s.say("I have to stop here for today: the variable `limit` is declared in zsh_completions.go, the check itself is not written yet.")
    write(d + "/NOTES.txt", "try with zsh 5.9\n"); commit(d, "Notes on zsh", ago(days=1), paths=["NOTES.txt"])
    git(d, "fetch", "-q", "origin")
    # the user changes a message and sees a test fail
    p = d + "/args.go"; b = open(p).read(); b = b.replace('"accepts at most %d arg(s), received %d"', '"accepts no more than %d arg(s), received %d"'); open(p, "w").write(b)
    terminal("go test -run TestMaximumNArgs ./...", d)
    # another agent is at work
    live = Codex(d, ago(minutes=6)); live.user("Make the Markdown generator in doc/md_docs.go print options as a table.")
    live.read("doc/md_docs.go"); live.edit("doc/md_docs.go", "const markdownExtension = \".md\"", "const markdownExtension = \".md\" // see table")
    live.bash("go vet ./doc"); live.t = NOW
    return d, live

# ---------------------------------------------------------------- fast-uri: npm, scripts, CI
def fasturi():
    d = repo("fast-uri"); unpack(SRC + "/fast-uri-4.2.3.tgz", d)
    pk = json.load(open(d + "/package.json")); pk["scripts"]["dev"] = "node dev/server.js"; pk["engines"] = {"node": ">=22"}
    write(d + "/package.json", json.dumps(pk, indent=2) + "\n"); write(d + "/.gitignore", "node_modules\n")
    write(d + "/dev/server.js", """'use strict'
// Parses what it is asked for: GET /?uri=... Takes the next port that is free.
const http = require('node:http')
const uri = require('..')
const server = http.createServer((req, res) => {
  const q = new URL(req.url, 'http://localhost').searchParams.get('uri') || ''
  res.end(JSON.stringify(uri.parse(q)) + '\\n')
})
let port = Number(process.env.PORT || 5173)
server.on('error', (err) => { if (err.code === 'EADDRINUSE') server.listen(++port, '127.0.0.1'); else throw err })
server.on('listening', () => console.log('ready in 41 ms'))
server.listen(port, '127.0.0.1')
""")
    write(d + "/dev/preview.js", "// Holds the ports that the proxy of the office uses.\nfor (const port of [5173, 8421]) require('node:http').createServer((q, r) => r.end('preview')).listen(port)\n")
    write(d + "/lib/price/total.js", "'use strict'\n\nfunction total (items) {\n  return items.reduce((sum, item) => sum + item.amount * item.count, 0)\n}\n\nmodule.exports = { total }\n")
    write(d + "/.cursor/rules/prices.mdc", "---\ndescription: How amounts of money are kept\nglobs: lib/price/**\nalwaysApply: false\n---\n\nAmounts are integer cents, never floats. Round half to even, and only when they are shown.\n")
    write(d + "/CLAUDE.md", "# fast-uri\n\nNo dependencies at run time. @docs/rules/types.md\n"); write(d + "/docs/rules/types.md", "`types/index.d.ts` is written by hand: keep it in step with index.js.\n")
    commit(d, "Import fast-uri 4.2.3", ago(days=30)); commit_at = ago(days=12)
    write(d + "/README.md", open(d + "/README.md").read() + "\n## Development\n\n`npm run dev` starts a server that parses what it is asked for.\n"); commit(d, "README: the development server", commit_at, "Jonas Weir")
    upstream(d, "fast-uri"); git(d, "branch", "-q", "-u", "origin/main")
    os.makedirs(d + "/node_modules", exist_ok=True)
    run(f"cp -r {SRC}/tape/node_modules/. {d}/node_modules/ && cp -r {SRC}/ajv/node_modules/. {d}/node_modules/", HOME)
    claude_real("1ecba475-5b18-4058-a0cb-e87703f6f792", "/Users/gtrrz-victor/wks/test-cli/cli", d, days=8)
    real(f"{DATA}/same-task-per-agent/copilot/convo.jsonl", f"{HOME}/.copilot/session-state/5b1f0f4e-8c1f-4d0e-9a55-6f6f3c1d8a11/events.jsonl", "/tmp/elicit-scratch", d, days=6)
    s = Claude(d, ago(days=3)); s.user("Check that equal() treats percent-encoded unreserved characters alike, and run only that test.")
    s.bash("npx tape test/equal.test.js"); s.bash("npm run test:unit", ok=False); s.say("equal() does: test/equal.test.js passes.")
    g = Gemini(d, ago(hours=20)); g.user("Strip a trailing dot of host names in normalize, some of our links have one")
    g.bash("grep -n 'toLowerCase' index.js", ok=False)
    g.edit("lib/utils.js", "'use strict'", "'use strict'\n\n/** @param {string} host a host that may end in a dot */\nconst withoutTrailingDot = (host) => host.endsWith('.') ? host.slice(0, -1) : host")
    g.say("withoutTrailingDot is in lib/utils.js; it is not used by normalize yet.")
    c = Codex(d, ago(hours=9)); c.user("Add a benchmark for hosts with percent signs"); c.edit("benchmark/equal.mjs", open(d + "/benchmark/equal.mjs").read().split("\n")[0], open(d + "/benchmark/equal.mjs").read().split("\n")[0] + "\n// percent signs: see issue 7")
    c.say("A comment marks where the benchmark goes.")
    background("preview", "node dev/preview.js", d)
    for _ in range(100):
        if "LISTEN" in run("ss -ltn | grep 5173", d, ok=False)[1]: break
        time.sleep(.1)
    background("web", "npm run dev", d); terminal("npm run lint", d)
    return d

# ---------------------------------------------------------------- blinker: Python, pyproject, tox
def blinker():
    d = repo("blinker"); os.makedirs(d + "/src", exist_ok=True)
    run(f"cp -r /usr/lib/python3/dist-packages/blinker {d}/src/ && rm -rf {d}/src/blinker/__pycache__", HOME)
    write(d + "/pyproject.toml", '[project]\nname = "blinker"\nversion = "1.5"\nrequires-python = ">=3.7"\ndependencies = []\n\n[project.optional-dependencies]\ntests = ["pytest>=7", "pytest-asyncio"]\n\n[build-system]\nrequires = ["setuptools>=61"]\nbuild-backend = "setuptools.build_meta"\n\n[tool.mypy]\nfiles = ["src/blinker"]\nstrict = true\n')
    write(d + "/tox.ini", "[tox]\nenvlist = py311, typing\n\n[testenv]\ncommands = python -m unittest discover -s tests -t . {posargs}\n\n[testenv:typing]\ndeps = mypy\ncommands = mypy --strict src/blinker\n")
    write(d + "/.github/workflows/tests.yaml", "name: Tests\non: [push]\njobs:\n  tests:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        python: ['3.8', '3.9', '3.10', '3.11']\n    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/setup-python@v5\n        with:\n          python-version: ${{ matrix.python }}\n      - run: pip install tox\n      - run: tox run -e py\n")
    write(d + "/.gitignore", ".venv\n__pycache__\n.aider*\n"); write(d + "/tests/__init__.py", "")
    write(d + "/tests/test_signals.py", '''import gc
import unittest

import sys
sys.path.insert(0, "src")
import blinker


class SignalTests(unittest.TestCase):
    def test_send_returns_results(self):
        sig = blinker.Signal()
        f = sig.connect(lambda sender, **kw: kw["n"] + 1, weak=False)
        self.assertEqual([r for _, r in sig.send(None, n=1)], [2])

    def test_weak_receivers_go(self):
        sig = blinker.Signal()
        def receiver(sender): pass
        sig.connect(receiver)
        del receiver
        gc.collect()
        self.assertFalse(list(sig.receivers_for(blinker.ANY)))

    def test_named_signals_are_shared(self):
        self.assertIs(blinker.signal("a"), blinker.signal("a"))


if __name__ == "__main__":
    unittest.main()
''')
    write(d + "/README.rst", "Blinker\n=======\n\nFast, simple object-to-object and broadcast signaling.\n")
    write(d + "/.github/copilot-instructions.md", "Use `weak=False` in tests for lambdas. Public functions have type annotations.\n")
    commit(d, "blinker 1.5", ago(days=50)); write(d + "/CHANGES.rst", "Version 1.6\n-----------\n\nUnreleased\n"); commit(d, "Begin 1.6", ago(days=16))
    upstream(d, "blinker"); git(d, "branch", "-q", "-u", "origin/main"); git(d, "checkout", "-q", "-b", "receiver-errors")
    p = d + "/src/blinker/base.py"; b = open(p).read(); b = b.replace("class Signal(object):", "class Signal(object):\n    #: Whether send goes on after a receiver that raised.\n    tolerant = False\n", 1); open(p, "w").write(b)
    commit(d, "Signal.tolerant", ago(days=5))
    run("/usr/bin/python3 -m venv --without-pip .venv", d)
    shutil.copy(f"{DATA}/aider/aider.chat.history.md", d + "/.aider.chat.history.md"); t = ago(days=10).timestamp(); os.utime(d + "/.aider.chat.history.md", (t, t))
    claude_real("559081d6-534c-40b9-afeb-5eb72cd84309", "/Users/soph/Work/entire/devenv/cli", d, days=12)
    s = Claude(d, ago(days=6)); s.user("What should send() do when a receiver raises? Today the rest is not called.")
    s.read("src/blinker/base.py"); s.bash("grep -rn 'raise' src/blinker/base.py", ok=False)
    s.say("There are three ways: stop at the first error (today), collect all errors and raise an ExceptionGroup at the end, or log and go on.")
    s.user("Collect them, but raise only the first, with the others in its __notes__. No ExceptionGroup, we support 3.7."); s.say("Decided: every receiver is called; the first error is raised afterwards, the others are attached to it as __notes__ (a plain list attribute before 3.11). ExceptionGroup is out because of 3.7.")
    # a stash
    p = d + "/src/blinker/_utilities.py"; b = open(p).read(); open(p, "w").write(b + "\n\ndef _notes(error, others):\n    error.__notes__ = [repr(o) for o in others]\n")
    git(d, "stash", "push", "-qm", "notes on errors, without tests", at=ago(days=4))
    c = Codex(d, ago(hours=5)); c.user("Write the test for tolerant signals, then run only that one.")
    c.edit("tests/test_signals.py", "    def test_named_signals_are_shared(self):", "    def test_signals_are_not_tolerant(self):\n        self.assertFalse(blinker.Signal.tolerant)\n\n    def test_named_signals_are_shared(self):")
    c.bash(".venv/bin/python -m unittest tests.test_signals.SignalTests.test_signals_are_not_tolerant"); c.bash("mypy --strict src/blinker", ok=False)
    c.say("The test is there and passes. Should `tolerant` be settable per call, as `send(sender, tolerant=True)`, or only per signal? I have not changed send() yet.")
    return d

# ---------------------------------------------------------------- tsjson: C with CMake
def tsjson():
    d = repo("tree-sitter-json"); unpack(SRC + "/tree-sitter-json-0.24.8.tgz", d, lambda n: not n.startswith("prebuilds") and not n.endswith(".wasm"))
    write(d + "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(tree-sitter-json VERSION 0.24.8 LANGUAGES C)\nadd_library(tree-sitter-json src/parser.c)\ntarget_include_directories(tree-sitter-json PRIVATE src)\nenable_testing()\nadd_executable(version test/version.c)\ntarget_link_libraries(version tree-sitter-json)\nadd_test(NAME version COMMAND version)\n")
    write(d + "/test/version.c", "extern const void *tree_sitter_json(void);\nint main(void) { return tree_sitter_json() == 0; }\n")
    write(d + "/Makefile", "CFLAGS ?= -O1 -Isrc -fPIC\n\nall: libtree-sitter-json.so\n\nlibtree-sitter-json.so: src/parser.o\n\t$(CC) -shared -o $@ $^\n\ntest: src/parser.o ## link and run the smallest program\n\t$(CC) -o /tmp/tsjson-$$$$ test/version.c src/parser.o && rm -f /tmp/tsjson-*\n\nclean:\n\trm -f src/*.o *.so\n\n.PHONY: all test clean\n")
    write(d + "/.gitignore", "*.o\n*.so\nbuild\nnode_modules\n"); write(d + "/GEMINI.md", "src/parser.c is generated from grammar.js by `tree-sitter generate`. Do not edit it.\n")
    commit(d, "tree-sitter-json 0.24.8", ago(days=33)); git(d, "tag", "v0.24.8")
    write(d + "/CHANGELOG.md", "## Unreleased\n"); commit(d, "Begin a changelog", ago(days=15)); git(d, "checkout", "-q", "--detach", "v0.24.8")
    claude_real("97007e37-53bd-4456-9a49-c0f8081081a7", "/Users/soph/Work/entire/devenv/cli", d, days=7)
    real(f"{DATA}/same-task-per-agent/gemini/convo.jsonl", f"{HOME}/.gemini/tmp/tree-sitter-json/chats/session-2026-05-07T18-28-9534b902.jsonl", None, None, days=4); write(f"{HOME}/.gemini/tmp/tree-sitter-json/.project_root", d + "\n")
    s = Claude(d, ago(days=1)); s.user("Does it still build at the tag?"); s.bash("make test"); s.bash("cmake -B build", ok=False); s.bash("cc -Isrc -o \"$HOME/v\" test/version.c src/parser.c && rm \"$HOME/v\""); s.say("It builds with make. CMake is not installed here.")
    terminal("make nothing", d)
    return d

# ---------------------------------------------------------------- desk: workspaces, a worktree, a submodule
def desk():
    sub = repo("../lib/cast"); run(f"cp -r {MODS[0]}/github.com/spf13/cast@v1.10.0/. {sub}/ && chmod -R u+w {sub}", HOME); commit(sub, "cast 1.10", ago(days=60))
    d = repo("desk"); keep = lambda n: n.endswith(".js") or n in ("package.json", "README.md")
    unpack(SRC + "/mariozechner-pi-tui-0.73.1.tgz", d + "/packages/tui", keep); unpack(SRC + "/mariozechner-pi-ai-0.73.1.tgz", d + "/packages/ai", keep)
    write(d + "/package.json", json.dumps({"name": "desk", "private": True, "workspaces": ["packages/*", "services/*"], "scripts": {"test": "npm test --workspaces --if-present", "check": "node --check packages/tui/dist/index.js"}, "devDependencies": {"typescript": "^5.6.0", "chalk": "^5.5.0", "shx": "^0.4.0"}}, indent=2) + "\n")
    write(d + "/services/api/package.json", json.dumps({"name": "@desk/api", "version": "0.1.0", "scripts": {"start": "node server.mjs", "test": "node --test test/"}}, indent=2) + "\n")
    write(d + "/services/api/server.mjs", "import { createServer } from 'node:http'\nlet port = 8421\nconst s = createServer((q, r) => r.end('ok\\n'))\ns.on('error', () => s.listen(++port))\ns.listen(port)\n")
    write(d + "/services/api/test/retry.test.mjs", "import test from 'node:test'\nimport assert from 'node:assert'\ntest('waits double each time', () => assert.deepEqual([1, 2, 4], [1, 2, 4]))\n")
    write(d + "/.gitignore", "node_modules\n"); write(d + "/AGENTS.md", "# desk\n\nTests of one package: `npm test -w packages/NAME`. Commits go to a branch of your own, never to main.\n")
    run(f"cp -r {d}/packages/tui/dist {d}/packages/tui/lib.tmp; rm -rf {d}/packages/tui/lib.tmp; mkdir -p {d}/node_modules && cp -r {SRC}/chalk/node_modules/. {d}/node_modules/", HOME)
    commit(d, "The monorepo", ago(days=45)); git(d, "-c", "protocol.file.allow=always", "submodule", "add", "-q", sub, "vendor/cast", at=ago(days=44)); commit(d, "Add cast as a submodule", ago(days=44))
    write(d + "/packages/ai/NOTES.md", "models: see models.generated.js\n"); commit(d, "ai: notes", ago(days=13), "Jonas Weir"); upstream(d, "desk"); git(d, "branch", "-q", "-u", "origin/main")
    write(sub + "/extra.go", "package cast\n"); commit(sub, "Extra", ago(days=7)); write(sub + "/extra2.go", "package cast\n"); commit(sub, "Extra 2", ago(days=6))
    git(d + "/vendor/cast", "fetch", "-q"); git(d + "/vendor/cast", "checkout", "-q", "origin/main")
    git(d, "worktree", "add", "-q", "-b", "fix/retry", d + "-retry"); w = d + "-retry"
    pi = Pi(d, ago(days=5)); pi.user("How often should the api retry a model that is overloaded, and how long should it wait?")
    pi.bash("ls services/api"); pi.say("Options: 3 tries with a fixed second, or 5 tries with doubling waits from 250 ms.")
    pi.user("5 tries, doubling from 250 ms, but never wait more than 4 seconds, and honour Retry-After."); pi.say("Settled: 5 tries, waits 250 ms doubling, capped at 4 s; Retry-After wins if it is there.")
    claude_real("53ea1606-cf60-417b-928a-068324ecc7b3", "/Users/alex/workspace/cli/.worktrees/2", w, days=9)
    real(f"{DATA}/pi/large-session.jsonl", f"{HOME}/.pi/agent/sessions/--{d.strip('/').replace('/', '-')}--/2025-11-20T23-33-50-805Z_d703a1a9-1b7b-4fb1-b512-c9738b1fe617.jsonl", "/Users/badlogic/workspaces/pi-mono", d, days=13)
    c = Claude(w, ago(hours=7)); c.user("Start with the retry in services/api/server.mjs, in this worktree.")
    c.bash("node --test services/api/test/"); c.edit("services/api/server.mjs", "let port = 8421", "const tries = 5\nlet port = 8421"); write(w + "/services/api/retry.mjs", "export const wait = (n) => Math.min(4000, 250 * 2 ** n)\n")
    c.bash("node --check services/api/retry.mjs"); c.todos(("wait() in services/api/retry.mjs", "completed"), ("honour Retry-After in services/api/server.mjs", "pending")); c.say("wait() is there; Retry-After is open.")
    background("api", "npm start -w services/api", d)
    background("ai-types", "node -e setInterval(()=>{},1e6)", d + "/packages/ai")
    return d

def main():
    if os.path.exists(DIR): sys.exit(DIR + " exists: world.sh clean " + DIR)
    os.makedirs(HOME + "/bin"); os.makedirs(DIR + "/tmp")
    write(HOME + "/.gitconfig", "[user]\n\tname = Mara Lind\n\temail = mara@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[protocol \"file\"]\n\tallow = always\n")
    if ARM == "with": shutil.copy(CTXFS, HOME + "/bin/ctxfs")
    d, live = cobra(); d0 = d; fasturi(); blinker(); tsjson(); desk()
    shutil.rmtree(DIR + "/tmp", ignore_errors=True)
    if ARM == "with":
        run("ctxfs mount", HOME)
        for n in ("cobra", "fast-uri", "blinker", "tree-sitter-json", "desk"): run("ctxfs trust . && ctxfs here", f"{HOME}/src/{n}")
        run('ctxfs note "zsh 5.9 wants the limit as an integer: declare -i limit"', f"{HOME}/src/cobra")
    else:
        write(f"{HOME}/src/cobra/NOTE-zsh.md", "zsh 5.9 wants the limit as an integer: declare -i limit\n"); open(f"{HOME}/src/cobra/.git/info/exclude", "a").write("NOTE-zsh.md\n")
    json.dump(ENV, open(DIR + "/env", "w"))
    tasks = json.load(open(KIT + "/tasks.json")); mine = [t for t in tasks["tasks"] if t["project"] in tasks["sets"][SET]]
    page = open(HOME + "/.agentctx/AGENTS.md").read() if ARM == "with" else ""
    json.dump({"arm": ARM, "set": SET, "tasks": [t["id"] for t in mine], "page": page}, open(DIR + ".json", "w"))
    readme = open(f"{KIT}/README-subject-{ARM}.md").read().replace("@PAGE@", page).replace("WORLD", DIR)
    readme += "\n# The questions\n\n" + "".join(f"- `{t['id']}` (project `~/src/{t['project']}`): {t['ask']}\n" for t in mine)
    write(DIR + "/README.md", readme)
    write(DIR + "/sh", f'#!/bin/sh\nexec {KIT}/run {DIR} "$@"\n'); os.chmod(DIR + "/sh", 0o755)
    # the live agent goes on: a line every 40 seconds, for three hours
    beat = 'for i in $(seq 270); do printf \'{"timestamp":"%s","type":"event_msg","payload":{"type":"token_count","info":null}}\\n\' "$(date -u +%FT%T.000Z)" >> "$1"; sleep 40; done'
    subprocess.Popen(["bash", "-c", f"exec -a codex bash -c '{beat.replace(chr(39), chr(39) + chr(92) + chr(39) + chr(39))}' codex \"$0\"", live.path], cwd=d0, env=ENV,
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

main()
