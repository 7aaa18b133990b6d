#!/usr/bin/env python3
"""score.py WORLD...: for each arm over the worlds (their logs stand beside them): right
answers, commands, tokens of outputs and of commands, and those of the prompt's page. Each
task with --each."""
import collections, json, os, re, subprocess, sys
kit = os.path.dirname(os.path.realpath(__file__)); each = "--each" in sys.argv
tasks = {t["id"]: t for t in json.load(open(kit + "/tasks.json"))["tasks"]}
counter = os.environ.get("TRIAL_COUNT")
def count(text): return int(subprocess.run([counter], input=text, capture_output=True, text=True).stdout) if counter else len(text.encode()) // 4
arms = collections.defaultdict(collections.Counter); rows = []
for world in [a for a in sys.argv[1:] if not a.startswith("--")]:
    world = world.rstrip("/"); head = json.load(open(world + ".json")); a = arms[head["arm"]]; a["worlds"] += 1; a["page"] += count(head["page"])
    by = collections.defaultdict(list)
    for line in open(world + ".log.jsonl"):
        r = json.loads(line); by[r["task"]].append(r)
    for id in head["tasks"]:
        rs = by.get(id, []); t = tasks[id]; said = [r["answer"] for r in rs if "answer" in r]; runs = [r for r in rs if "command" in r]
        right = bool(said) and all(re.search(w, said[-1], re.I | re.S) for w in t["want"])
        a["tasks"] += 1; a["answered"] += bool(said); a["right"] += right; a["commands"] += len(runs); a["failed"] += sum(r["exit"] != 0 for r in runs)
        a["out"] += sum(r["tokens"] for r in runs); a["in"] += sum(r["command_tokens"] for r in runs); a["bytes"] += sum(r["bytes"] for r in runs)
        rows.append((id, head["arm"], os.path.basename(world), right, len(runs), sum(r["tokens"] for r in runs), sum(r["command_tokens"] for r in runs), (said or ["-"])[-1][:90].replace("\n", " ")))
if each:
    print("| task | arm | world | right | commands | tokens out | tokens in | answer |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in sorted(rows): print("|", " | ".join(str(x) for x in r), "|")
    print()
print("| arm | tasks | answered | right | commands | of them failed | tokens of outputs | tokens of commands | tokens of the page in the prompt | bytes |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for arm, a in sorted(arms.items()): print(f"| {arm} | {a['tasks']} | {a['answered']} | {a['right']} | {a['commands']} | {a['failed']} | {a['out']} | {a['in']} | {a['page']} | {a['bytes']} |")
