"""Hugging Face transformers in bfloat16 behind llama.cpp's server's protocol (stand_in_server.py).

    transformers_server.py MODEL.gguf        prints its address

The model is put together from the GGUF file by policy_logits_reference.py, and then rounded to bfloat16 as a whole; so are its activations and logits.
"""

import pathlib
import sys

import torch

from stand_in_server import serve

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from policy_logits_reference import reference_model  # noqa: E402

END = 2  # <|im_end|>
model = reference_model(sys.argv[1]).bfloat16()
past = None


@torch.no_grad()
def advance(*ids):
    global past
    given = model(torch.tensor([ids]), past_key_values=past, use_cache=True)
    past = given.past_key_values
    return given.logits[0, -1].double().numpy()


def begin(ids):
    global past
    past = None
    return advance(*ids)


serve(begin, advance, {END})
