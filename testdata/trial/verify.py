import json,os,re,subprocess as sp
H=os.path.expanduser("~"); W=H+"/.agentctx/workspaces/"
def sh(c,d): return sp.run(["bash","-c",c],cwd=d,capture_output=True,text=True).stdout
n=bad=0
def eq(what,a,b):
    global n,bad
    n+=1
    if a!=b: bad+=1; print("WRONG",what,repr(a),repr(b))
for r in ("cobra","fast-uri","blinker","tree-sitter-json","desk"):
    d=H+"/src/"+r; here=open(W+r+"/HERE.md").read(); g=open(W+r+"/git.md").read(); s=json.load(open(W+r+"/system.json"))
    eq("branch",re.search(r"^- branch: (\S+)",g,re.M)[1].replace("none","").rstrip(","),sh("git branch --show-current",d).strip())
    ab=sh("git rev-list --left-right --count HEAD...@{u}",d).split()
    m=re.search(r"(\d+) ahead of and (\d+) behind",here) 
    if ab: eq("ahead/behind",[m[1],m[2]] if m else ["0","0"],ab)
    st=[l for l in sh("git status --short",d).split("\n") if l]
    main=g.split("# Worktree")[0]
    shown=[l[4:].split(" (a sub")[0] for l in re.search(r"## Uncommitted\n\n.*?\n\n(.*?)\n\n",main+"\n\n",re.S)[1].split("\n")] if "## Uncommitted" in main else []
    eq("uncommitted",shown,st)
    cm=[l.split()[0] for l in re.search(r"## Last commits\n\n(.*?)(\n\n|$)",main,re.S)[1].strip("\n").split("\n")]
    eq("commits",cm,sh("git log --format=%h --abbrev=10 -10",d).split())
    eq("stashes",len(re.findall(r"stash@",main)),len(sh("git stash list",d).splitlines()))
    eq("worktrees",re.findall(r"^    (\S+) \S+$",main.split("## Linked worktrees")[1],re.M) if "## Linked" in main else [],[l.split()[0] for l in sh("git worktree list",d).splitlines()[1:]])
    for p in s["programs"]:
        if p.get("version"):
            v=sh(f"{p['path']} {'version' if p['name']=='go' else '-V' if p['name']=='tmux' else '--version'} 2>&1",d); eq("version "+p["name"],p["version"] in v,True)
        eq("path "+p["path"],os.access(p["path"],os.X_OK),True)
    for dep in s["dependencies"]:
        for p in dep.get("packages",[]):
            if dep["manifest"]=="package.json": eq("dep "+p["name"],p["installed"]!="no",os.path.exists(f"{d}/node_modules/{p['name']}/package.json"))
    lay=open(W+r+"/layout.txt").read(); m=re.search(r": (\d+) files",lay)
    files=[f for f in sh("git ls-files -co --exclude-standard -z",d).split("\0") if f]
    files=[f for f in files if not os.path.isdir(d+"/"+f)]
    if m: eq("layout files",int(m[1]),len(files)+ (len(sp.run("find . -type f -not -name .git",shell=True,cwd=d+"/vendor/cast",capture_output=True,text=True).stdout.split()) if r=="desk" else 0))
    rows=[l.split("\t") for l in open(W+r+"/processes.tsv").read().split("\n")[1:] if l]
    for pid,cmd,lis,term,since in rows:
        eq("alive "+pid,os.path.exists("/proc/"+pid),True)
        real=set(x.split()[3].replace("0.0.0.0","*") for x in sh("ss -ltnpH",d).splitlines() if f"pid={pid}," in x)
        eq("ports "+pid,set(x.replace("tcp ","") for x in lis.split(", ") if x),real)
    tests=re.findall(r"- (\w+): `([^`]+)` \((\S+?):(\d+)",here)
    for p,c,f,l in tests:
        line=open(d+"/"+f).read().split("\n")[int(l)-1]; w=c.split()[-1]
        eq(f"source {f}:{l}",w in line or c in line,True)
print(n,"statements,",bad,"wrong")
