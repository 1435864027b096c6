"""Lengths of the samples of a data set in tokens of a model, by kind. Needs h5py and transformers.

    python tests/bench/data_lengths.py ascend_cot.h5 ~/.kgtrain/models/smollm2-135m-instruct [GGUF_FILE]
"""
import collections
import sys

import h5py
from transformers import AutoTokenizer


def texts(group, name):
    data, offsets = group[name + "_bytes"][:].tobytes(), group[name + "_offsets"][:]
    return [data[a:b].decode() for a, b in zip(offsets[:-1], offsets[1:])]


def main(path, model, gguf=None, limit=600):
    tokenizer = AutoTokenizer.from_pretrained(model, **({"gguf_file": gguf} if gguf else {}))
    lengths = collections.defaultdict(list)
    with h5py.File(path, "r") as file:
        for group in file["samples"].values():
            rows = zip(*(texts(group, name) for name in ("kind", "style", "prompt_form", "instruction", "input", "output")))
            for kind, style, form, *parts in rows:
                language = "dsl" if style == "dsl" else "text" if kind == "documentation" else "Ascend C"
                whole = "\n".join(part for part in parts if part)
                lengths[kind, language, form].append(len(tokenizer(whole)["input_ids"]))
    everything = [length for each in lengths.values() for length in each]
    print(f"{'kind':<14} {'language':<9} {'prompt':<15} {'samples':>7} {'median':>7} {'largest':>8} {'at most ' + str(limit):>12}")
    for key, each in sorted(lengths.items()) + [(("all", "", ""), everything)]:
        each.sort()
        share = 100 * sum(length <= limit for length in each) / len(each)
        print(f"{key[0]:<14} {key[1]:<9} {key[2]:<15} {len(each):>7} {each[len(each) // 2]:>7} {each[-1]:>8} {share:>11.1f}%")


if __name__ == "__main__":
    main(*sys.argv[1:])
