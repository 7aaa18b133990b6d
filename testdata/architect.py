#!/usr/bin/env python3
"""An architect: a model has one coding agent do a task, and a second one review what it did.

    export OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=qwen3
    architect.py "the test TestLogin fails; mend it"

It needs Python 3, ctxfs, and any service that speaks as OpenAI's Chat Completions do.
"""
import json, os, subprocess, sys, urllib.request


def ctxfs(*args, stdin=""):
    """Runs ctxfs agent. Its exit code tells how an agent has ended, and so does its output."""
    done = subprocess.run(["ctxfs", "agent", *args], input=stdin, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(done.returncode)  # the reason stands on standard error
    return done.stdout


def call(task):
    """Has the model make one call: it writes the prompt, and chooses the agent."""
    tool = json.loads(ctxfs("schema", "--for", "openai"))
    body = {
        "model": os.environ.get("OPENAI_MODEL", "gpt-5"),
        "messages": [
            {"role": "system", "content": "You are an architect. Give this task to a coding agent, in one call. The folder is " + os.getcwd()},
            {"role": "user", "content": task},
        ],
        "tools": [tool],
        "tool_choice": {"type": "function", "function": {"name": tool["function"]["name"]}},
    }
    request = urllib.request.Request(
        os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "none")},
    )
    answer = json.load(urllib.request.urlopen(request))
    return json.loads(answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])


task = sys.argv[1]
request = call(task)
request["worktree"] = True  # its changes stay apart until somebody has looked at them

run = ctxfs("run", "--detach", stdin=json.dumps(request)).strip()
result = json.loads(ctxfs("wait", run))
print(f"{run}: {result['ended']}: {result.get('error') or result['text']}")

if result.get("diff"):
    prompt = f"Review the diff in {result['diff']}. The task was: {task}. Answer with what must be changed, if anything."
    review = {"agent": os.environ.get("REVIEWER", request["agent"]), "repoDir": result["worktree"], "readOnly": True, "prompt": prompt}
    print("review: " + json.loads(ctxfs("run", stdin=json.dumps(review)))["text"])
    print(f"take it: ctxfs agent adopt {run}")
