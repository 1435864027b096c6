#!/usr/bin/env python3
"""`kgtrain solve` from end to end, against a scripted server that speaks OpenAI's chat completions over real HTTP.

  check.py KGTRAIN WRITE_TINY_MODEL

Runs with a Python that has PyTorch. Exit status 1 if something is not as it should be.
"""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

OPERATOR = """import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x) * 2.0 + y


def get_inputs():
    return [torch.randn(96, 1000), torch.randn(96, 1000)]
"""

KERNEL = """kernel custom_op(x: float[N], y: float[N]) -> out: float[N]:
  for t in cores(tiles(N, 128)):
    store out[t] = relu(load x[t]) * {factor} + load {second}[t]
"""
# What the answers to the first turn are, by the attempt's place; the repair turn gets the right one.
WRONG = {
    "wrong numbers": "The factor is 3.\n```dsl\n" + KERNEL.format(factor="3.0", second="y") + "```\n",
    "compile error": "```dsl\n" + KERNEL.format(factor="2.0", second="w") + "```\n",
    "no kernel": "I would rather write a poem.",
}
RIGHT = "It is 2.\n```dsl\n" + KERNEL.format(factor="2.0", second="y") + "```\n"


class Server:
    """Answers by `answer(request)`; keeps what it was asked."""

    def __init__(self, answer):
        self.requests, self.keys = [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                self.reply(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(request)
                outer.keys.append(self.headers.get("Authorization"))
                status, text = answer(request, len(outer.requests) - 1)
                if status != 200:
                    return self.reply(status, {"error": {"message": text}})
                self.reply(200, {"choices": [{"index": 0, "finish_reason": "stop",
                                              "message": {"role": "assistant", "content": text}}],
                                 "usage": {"completion_tokens": 50}})

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Check:
    def __init__(self, kgtrain, tiny, folder):
        self.kgtrain, self.tiny, self.folder, self.wrong = kgtrain, tiny, folder, 0
        self.operator = folder / "op.py"
        self.operator.write_text(OPERATOR)

    def want(self, condition, what, shown=""):
        if not condition:
            self.wrong += 1
            print(f"NOT: {what}\n{shown}")

    def run(self, *words, **environment):
        return subprocess.run([self.kgtrain, *map(str, words)], capture_output=True, text=True,
                              env={**os.environ, **environment})

    def solve(self, out, *words, **environment):
        """Of what a model answers; what needs none is tried by translated()."""
        return self.run("solve", self.operator, "--python", sys.executable, "--out", out, "--no-translation", *words,
                        **environment)

    def translated(self):
        """What the operators say by themselves, without a model and beside one that is always wrong."""
        for name, words, tried in (("none", ["--model", "none"], 1), ("beside", ["--attempts", 2, "--turns", 1], 3)):
            out = self.folder / f"translated-{name}"
            with Server(lambda request, n: (200, WRONG["compile error"])) as server:
                where = [] if name == "none" else ["--model", server.url]
                done = self.run("solve", self.operator, "--python", sys.executable, "--out", out, *words, *where)
            self.want(done.returncode == 0 and "kept      translation" in done.stdout, f"translation, {name}",
                      done.stdout + done.stderr)
            if done.returncode != 0:
                continue
            lines = [json.loads(line) for line in (out / "tried.jsonl").read_text().splitlines()]
            self.want(len(lines) == tried and [one["attempt"] for one in lines].count(0) == 1, "attempt 0", lines)
            summary = json.loads((out / "solve.json").read_text())
            self.want(summary["translation"] == "correct" and summary["attempts_correct"] == 0, "solve.json", summary)
            self.again(out, summary)
        done = self.solve(self.folder / "nobody", "--model", "none")
        self.want(done.returncode == 2 and "try:" in done.stderr, "nobody is asked", done.stderr)

    def repaired(self):
        """Wrong in three ways first, right in the repair turn."""
        out = self.folder / "solved"
        wrong = list(WRONG.values())
        answer = lambda request, n: (200, RIGHT if len(request["messages"]) > 1 else wrong[n])
        with Server(answer) as server:
            done = self.solve(out, "--model", server.url, "--attempts", 3, "--turns", 2, "--connections", 1,
                              "--key-variable", "SOLVE_TEST_KEY", "--tune", 6, SOLVE_TEST_KEY="secret-7")
        self.want(done.returncode == 0, "a repaired answer solves it", done.stdout + done.stderr)
        if done.returncode != 0:
            return
        self.want(done.stderr == "" or done.stderr.startswith("note:"), "no terminal, no progress", done.stderr)
        self.want(all(key == "Bearer secret-7" for key in server.keys), "every request has the key", server.keys)
        self.want(all(request["model"] == "scripted" for request in server.requests), "the server's own model is asked")
        tried = [json.loads(line) for line in (out / "tried.jsonl").read_text().splitlines()]
        self.want(len(tried) == 6 and len(server.requests) == 6, "six answers", len(tried))
        self.want(sorted(one["outcome"] for one in tried) == sorted([*WRONG, "correct", "correct", "correct"]), "outcomes",
                  [one["outcome"] for one in tried])
        for one in tried:
            if one["turn"] == 1:
                later = next(two for two in tried if two["attempt"] == one["attempt"] and two["turn"] == 2)
                roles = [message["role"] for message in later["messages"]]
                self.want(roles == ["user", "assistant", "user"], "roles of a repair turn", roles)
                self.want(later["messages"][1]["content"] == one["answer"], "the answer goes back as it was")
                said = later["messages"][2]["content"]
                self.want(one["message"] in said, "the judge's words go back", said)
        messages = {one["outcome"]: one["message"] for one in tried}
        self.want("no input w" in messages["compile error"], "the compiler's words", messages)
        self.want("case 0" in messages["wrong numbers"], "the first wrong element", messages)
        summary = json.loads((out / "solve.json").read_text())
        self.want(summary["solved"] and summary["answers_correct"] == 3, "solve.json", summary)
        self.want(summary["cycles"] < summary["cycles_before_tuning"], "tiles of 128 are tuned away", summary)
        self.again(out, summary)

    def again(self, out, summary):
        """The folder alone, judged from scratch, gives the same verdict; so do its projects."""
        done = subprocess.run(["sh", out / "judge_again.sh", "--python", sys.executable, "--json"], capture_output=True,
                              text=True, env={**os.environ, "PATH": f"{pathlib.Path(self.kgtrain).parent}:{os.environ['PATH']}"})
        self.want(done.returncode == 0, "judge_again.sh", done.stdout + done.stderr)
        again, before = json.loads(done.stdout), json.loads((out / "verdict.json").read_text())
        for key in before:
            if key != "wall_ms":
                self.want(again[key] == before[key], f"judged again: {key}", f"{before[key]} then {again[key]}")
        self.want(again["cycles"] == summary["cycles"], "cycles of the summary")
        for project in summary["projects"]:
            self.want(project["judged"], "the project was judged", project)
            done = self.run("judge", "--module", out / "op.py", "--project", out / project["folder"], "--python",
                            sys.executable, "--json")
            self.want(done.returncode == 0 and json.loads(done.stdout)["correct"], "project", done.stdout + done.stderr)
        page = (out / "report.html").read_text()
        self.want("Where the cycles" in page and "<svg" in page, "the page has cycles and timeline")

    def nothing_passes(self):
        out = self.folder / "unsolved"
        order = list(WRONG.values())
        with Server(lambda request, n: (200, order[n % 3])) as server:
            done = self.solve(out, "--model", server.url, "--attempts", 3, "--turns", 2, "--connections", 1)
        self.want(done.returncode == 1, "status 1 where nothing passed", done.stdout + done.stderr)
        self.want("nearest" in done.stdout and "wrong numbers" in done.stdout, "the nearest miss", done.stdout)
        self.want(len((out / "tried.jsonl").read_text().splitlines()) == 6, "all that was tried")
        self.want("relu" in (out / "kernel.dsl").read_text(), "the nearest miss is left")

    def bad_input(self):
        refused = {
            "no server": (["--model", "http://127.0.0.1:9/v1"], {}, "127.0.0.1:9"),
            "no such variable": (["--model", "http://127.0.0.1:9/v1", "--key-variable", "SOLVE_TEST_NO_KEY"], {},
                                 "SOLVE_TEST_NO_KEY"),
            "no such model": (["--model", "/nonexistent/model"], {}, "/nonexistent/model"),
        }
        for name, (words, environment, said) in refused.items():
            done = self.solve(self.folder / name.replace(" ", "-"), *words, **environment)
            self.want(done.returncode in (1, 2, 3) and said in done.stderr and "try:" in done.stderr, name, done.stderr)
        with Server(lambda request, n: (401, "bad key")) as server:
            done = self.solve(self.folder / "refused", "--model", server.url)
        self.want(done.returncode != 0 and "bad key" in done.stderr, "what the server says is shown", done.stderr)
        taken = self.folder / "taken"
        taken.mkdir()
        (taken / "mine").write_text("")
        with Server(lambda request, n: (200, RIGHT)) as server:
            done = self.solve(taken, "--model", server.url)
        self.want(done.returncode == 2 and "holds something" in done.stderr, "a folder in use is left alone", done.stderr)

    def left(self):
        """A model that stops answering: what there is already is kept, and it is said why there is no more."""
        for name, words, answers, kept in (("answers", ["--no-translation"], 1, "attempt 1"), ("translation", [], 0, "translation")):
            with Server(lambda request, n: (200, RIGHT) if n < answers else (400, "maximum context length")) as server:
                done = self.run("solve", self.operator, "--python", sys.executable, "--out", self.folder / f"left-{name}", "--tune", 0,
                                "--model", server.url, "--attempts", 3, "--connections", 1, *words)
            self.want(done.returncode == 0 and f"kept      {kept}" in done.stdout, f"left with {name}", done.stdout + done.stderr)
            self.want("note: " in done.stderr and "maximum context length" in done.stderr, "why the model is left out", done.stderr)

    def local_model(self):
        """A model of random weights: no kernel, but two turns of it."""
        model, out = self.folder / "tiny", self.folder / "tiny-out"
        subprocess.run([self.tiny, model], check=True)
        done = self.solve(out, "--model", model, "--attempts", 3, "--turns", 2, "--max-new-tokens", 24,
                          "--grammar", "off")
        self.want(done.returncode == 1 and "none correct" in done.stdout, "random weights solve nothing",
                  done.stdout + done.stderr)
        tried = [json.loads(line) for line in (out / "tried.jsonl").read_text().splitlines()]
        self.want(len(tried) == 6 and len({one["answer"] for one in tried}) == 6, "two turns of three attempts", tried)


def main():
    kgtrain, tiny = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        check = Check(kgtrain, tiny, pathlib.Path(name))
        check.repaired()
        check.translated()
        check.nothing_passes()
        check.bad_input()
        check.left()
        check.local_model()
    print("solve: " + ("as it should be" if check.wrong == 0 else f"{check.wrong} things are wrong"))
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
