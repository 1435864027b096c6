"""llama.cpp's engine behind its own server's protocol (stand_in_server.py). The server's program itself is in no package that scripts/setup.sh
fetches; the engine is (llama-cpp-python).

    llama_server.py MODEL.gguf float32|bfloat16        prints its address

The weights are dequantised first, as kgtrain does it, and rounded to the type named, so that both have the same numbers. llama.cpp computes norms in
float32; it takes products of bfloat16 matrices with activations rounded to bfloat16, and adds them up in float32.
"""

import pathlib
import sys
import tempfile

import gguf
import numpy
from llama_cpp import Llama

from stand_in_server import serve


def as_bfloat16(values):
    """The nearest bfloat16, as float32."""
    packed = gguf.quants.quantize(values, gguf.GGMLQuantizationType.BF16)
    return packed, gguf.quants.dequantize(packed, gguf.GGMLQuantizationType.BF16)


def dequantised(source, out, dtype):
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(out, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type", "general.quantization_version"):
            continue
        kind = field.types[0]
        writer.add_key_value(name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
        if dtype == "bfloat16":
            packed, values = as_bfloat16(values)
            if values.ndim > 1:
                writer.add_tensor(tensor.name, packed, raw_dtype=gguf.GGMLQuantizationType.BF16)
                continue
        writer.add_tensor(tensor.name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "model.gguf"
    dequantised(sys.argv[1], file, sys.argv[2])
    engine = Llama(str(file), n_ctx=1024, n_threads=2, verbose=False)  # mapped: the file may go
vocabulary = engine.n_vocab()


def logits():
    return numpy.ctypeslib.as_array(engine._ctx.get_logits(), shape=(vocabulary,)).astype(numpy.float64)


def begin(ids):
    engine.reset()
    engine.eval(ids)
    return logits()


def advance(token):
    engine.eval([token])
    return logits()


serve(begin, advance, {engine.token_eos(), *engine.tokenize(b"<|im_end|>", add_bos=False, special=True)})
