#!/usr/bin/env python3
"""Records what real programs write to a terminal of 80 by 24.

    record.py FOLDER

writes FOLDER/<name>.raw for each program that is installed. Everything runs in
/tmp/app with an empty home, so that recordings hold no path of the machine.
"""
import fcntl, os, pty, select, shutil, struct, subprocess, sys, termios, time

APP = "/tmp/app"
ENV = {"PATH": os.environ["PATH"], "HOME": APP + "/home", "TERM": "xterm-256color", "LANG": "C.UTF-8",
       "PS1": "$ ", "LESSHISTFILE": "-", "USER": "user", "CARGO_TERM_PROGRESS_WHEN": "auto",
       "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), "RUSTUP_HOME": os.path.expanduser("~/.rustup"), "RUSTC_WRAPPER": ""}

# A name, what is run, and what is typed: seconds to wait, then keys.
PROGRAMS = [
    ("npm", "npm install --no-audit --no-fund", []),
    ("cargo", "cd crates && cargo build --offline; cargo test --offline 2>&1", []),
    ("vim", "vim -u NONE -N text.txt", [(.5, "ihello\x1b"), (.2, "yy5p"), (.2, ":set number\r"), (.2, "G"), (.2, "\x06\x06"), (.2, "gg/line 40\r"),
                                        (.2, "dd"), (.2, ":!echo from a command\r"), (.4, "\r"), (.2, ":q!\r")]),
    ("less", "less text.txt", [(.4, " "), (.2, " "), (.2, "b"), (.2, "/line 77\r"), (.2, "G"), (.2, "q")]),
    ("htop", "htop -d 5 -p $$", [(1.5, "t"), (1, "q")]),
    ("top", "top -d 0.5 -n 4 -p $$", []),
    ("git", "cd repo && git --no-pager log --color --graph --stat && git --no-pager diff --color HEAD~3 && git --no-pager grep --color=always -n line", []),
    ("clone", "git clone --progress file://%s/repo copy" % APP, []),
    ("bash", "bash --norc -i", [(.4, "echo one\r"), (.2, "printf 'no nl'\r"), (.2, "echo a long line that is wrapped by the editor because it is longer than the terminal is wide, much\r"),
                                (.3, "\x1b[A\x1b[A\x1b[D\x1b[D\x7f"), (.2, "\x03"), (.2, "ls --color=always\r"), (.2, "clear\r"), (.2, "echo after\r"), (.2, "exit\r")]),
    ("zsh", "zsh -f -i", [(.5, "echo one\r"), (.2, "printf 'no nl'\r"), (.2, "echo tw\x7fwo\r"), (.2, "ls te\t"), (.4, "\r"), (.2, "exit\r")]),
    ("fish", "fish -N -i -C 'function fish_prompt; echo prompt; echo -n \">> \"; end'", [(1.5, "echo one\r"), (.5, "printf 'no nl'\r"), (.5, "echo t"), (.5, "\x1b[A\r"), (.6, "exit\r")]),
    ("curl", "curl --limit-rate 400k -o /dev/null file://%s/big" % APP, []),
    ("python", "python3 -q", [(.5, "1+1\r"), (.2, "for i in range(3): print(i)\r\r"), (.2, "print('日本語', '🚀')\r"), (.2, "\x04")]),
]


def prepare():
    shutil.rmtree(APP, ignore_errors=True)
    os.makedirs(APP + "/home")
    write("text.txt", "".join("line %d of a text that is read by a pager, and which is %s\n" % (i, "long " * (i % 23)) for i in range(200)))
    write("big", "x" * 1_000_000)
    write("package.json", '{"name": "app", "version": "1.0.0", "dependencies": {"left-pad": "1.3.0", "chalk": "5.3.0"}}')
    members = ["part%d" % i for i in range(6)]
    write("crates/Cargo.toml", '[workspace]\nresolver = "2"\nmembers = [%s]\n' % ", ".join('"%s"' % m for m in members))
    for i, m in enumerate(members):
        before = '[dependencies]\n%s = { path = "../%s" }\n' % (members[i - 1], members[i - 1]) if i else ""
        write("crates/%s/Cargo.toml" % m, '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n%s' % (m, before))
        write("crates/%s/src/lib.rs" % m, "fn unused() {}\npub fn f() -> u32 { %d }\n#[test]\nfn works() { assert_eq!(f(), %d) }\n" % (i, i))
    os.makedirs(APP + "/repo")
    for i in range(8):
        write("repo/file%d.txt" % (i % 3), "".join("line %d %d\n" % (i, j) for j in range(3 + 4 * i)))
        for c in (["init", "-q"] if i == 0 else ["status", "-s"], ["add", "-A"], ["commit", "-qm", "change %d: why it was made" % i]):
            date = "2026-05-01T12:00:0%dZ" % i
            subprocess.run(["git", "-c", "user.name=User", "-c", "user.email=user@example.com"] + c, cwd=APP + "/repo", check=True, stdout=subprocess.DEVNULL,
                           env={**ENV, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date})


def write(name, text):
    path = os.path.join(APP, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def record(command, keys):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(APP)
        os.execve("/bin/sh", ["sh", "-c", "stty cols 80 rows 24; " + command], ENV)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    out, end = b"", time.time() + 60
    due = time.time() + keys[0][0] if keys else end
    while time.time() < end:
        if select.select([fd], [], [], max(0, min(due, end) - time.time()))[0]:
            try:
                data = os.read(fd, 1 << 16)
            except OSError:
                break
            if not data:
                break
            out += data
        if keys and time.time() >= due:
            os.write(fd, keys[0][1].encode())
            keys = keys[1:]
            due = time.time() + keys[0][0] if keys else end
    os.close(fd)
    os.waitpid(pid, 0)
    return out


def main(folder):
    for name, command, keys in PROGRAMS:
        if not shutil.which(name if name not in ("clone", "python") else {"clone": "git", "python": "python3"}[name], path=ENV["PATH"]):
            print("not installed:", name)
            continue
        prepare()
        out = record(command, keys)
        with open(os.path.join(folder, name + ".raw"), "wb") as f:
            f.write(out)
        print(name, len(out))
    shutil.rmtree(APP, ignore_errors=True)


main(sys.argv[1])
