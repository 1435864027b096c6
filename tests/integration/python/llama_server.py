"""llama.cpp's engine behind the part of its own server's protocol that kgtrain uses (POST /completion, GET /props): token ids in, token ids and
log-probabilities out. The server's program itself is in no package that scripts/setup.sh fetches; the engine is (llama-cpp-python).

    llama_server.py MODEL.gguf        prints its address

The weights are dequantised to float32 first, as kgtrain does it, so that both compute with the same numbers.
"""

import json
import pathlib
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gguf
import numpy
from llama_cpp import Llama


def dequantised(source, out):
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(out, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type", "general.quantization_version"):
            continue
        kind = field.types[0]
        writer.add_key_value(name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "model.gguf"
    dequantised(sys.argv[1], file)
    engine = Llama(str(file), n_ctx=1024, n_threads=2, verbose=False)  # mapped: the file may go
vocabulary = engine.n_vocab()
ends = {engine.token_eos(), *engine.tokenize(b"<|im_end|>", add_bos=False, special=True)}
one_at_a_time = threading.Lock()


def complete(asked):
    temperature, random = asked["temperature"], numpy.random.default_rng(asked["seed"])
    assert asked["top_k"] <= 0 and asked["top_p"] == 1 and asked["min_p"] == 0, "this stand-in has no filters"
    engine.reset()
    engine.eval(asked["prompt"])
    drawn, stop = [], "limit"
    while len(drawn) < asked["n_predict"]:
        logits = numpy.ctypeslib.as_array(engine._ctx.get_logits(), shape=(vocabulary,)).astype(numpy.float64)
        plain = logits - logits.max()
        plain -= numpy.log(numpy.exp(plain).sum())
        if temperature > 0:
            scaled = logits / temperature - (logits / temperature).max()
            scaled -= numpy.log(numpy.exp(scaled).sum())
            token = int(random.choice(vocabulary, p=numpy.exp(scaled) / numpy.exp(scaled).sum()))
        else:
            scaled, token = plain, int(logits.argmax())
        one = {"id": token, "token": "", "bytes": []}
        one |= {"prob": float(numpy.exp(scaled[token]))} if asked["post_sampling_probs"] else {"logprob": float(plain[token])}
        drawn.append(one)
        if token in ends:
            stop = "eos"
            break
        engine.eval([token])
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
