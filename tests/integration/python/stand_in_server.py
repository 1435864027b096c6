"""The part of llama.cpp's server's protocol that kgtrain uses (POST /completion, GET /props), round any model: token ids in, token ids and
log-probabilities out. For servers of tests whose own programs are in no package that scripts/setup.sh fetches.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy


def log_softmax(logits):
    shifted = logits - logits.max()
    return shifted - numpy.log(numpy.exp(shifted).sum())


def serve(begin, advance, ends):
    """Prints its address, and answers until it is killed. begin(ids) and advance(id) give the logits of the next token as float64; `ends`: tokens
    that end an answer."""
    one_at_a_time = threading.Lock()

    def complete(asked):
        temperature, random = asked["temperature"], numpy.random.default_rng(asked["seed"])
        assert asked["top_k"] <= 0 and asked["top_p"] == 1 and asked["min_p"] == 0, "this stand-in has no filters"
        drawn, stop = [], "limit"
        logits = begin(asked["prompt"])
        while len(drawn) < asked["n_predict"]:
            plain = scaled = log_softmax(logits)
            if temperature > 0:
                scaled = log_softmax(logits / temperature)
                token = int(random.choice(len(logits), p=numpy.exp(scaled) / numpy.exp(scaled).sum()))
            else:
                token = int(logits.argmax())
            one = {"id": token, "token": "", "bytes": []}
            one |= {"prob": float(numpy.exp(scaled[token]))} if asked["post_sampling_probs"] else {"logprob": float(plain[token])}
            drawn.append(one)
            if token in ends:
                stop = "eos"
                break
            logits = advance(token)
        return {"content": "", "tokens": [one["id"] for one in drawn], "stop_type": stop, "completion_probabilities": drawn}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status, value):
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self):
            self.answer(*((200, {"default_generation_settings": {}}) if self.path == "/props" else (404, {"error": "no such path"})))

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with one_at_a_time:
                self.answer(200, complete(asked))

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
