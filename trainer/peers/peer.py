"""What the peers of `kgtrain bench` have in common: the request that each gets as its one argument, the model, and the line of JSON that it prints."""
import json
import resource
import sys

import torch


def read_request():
    request = json.loads(sys.argv[1])
    if request["threads"]:
        torch.set_num_threads(request["threads"])
    return request


def load_model(request):
    """In the type that is computed in; of a config.json with weights drawn anew."""
    import transformers  # not llama.cpp's
    options = {"dtype": getattr(torch, request["dtype"]), "attn_implementation": "sdpa"}
    if not request["model"].endswith(".json"):
        return transformers.AutoModelForCausalLM.from_pretrained(request["model"], **options).to(request["device"])
    config = transformers.AutoConfig.for_model(**json.load(open(request["model"])))
    with torch.device(request["device"]):
        return transformers.AutoModelForCausalLM.from_config(config, **options)


def print_result(**result):
    print(json.dumps(result | {"peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))
