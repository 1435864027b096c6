#!/usr/bin/env python3
"""Tokens of the benchmark programs in the DSL against those of their Ascend C, compact and full, by a tokenizer of transformers.

    dsl_lengths.py KGTRAIN MODEL_FOLDER [GGUF_FILE]
"""
import pathlib
import re
import statistics
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "integration" / "dsl_programs"
EXTENTS = dict(N=3145728, R=48, C=4096, P=12, H=64, W=64, I=32, J=32, B=8, F=64, D=128, E=4096, L=65536, M=65537)
POOLING = {"average_pooling_2d": dict(H=512, W=512, I=46, J=46), "max_pooling_2d": dict(I=63, J=63),
           "average_pooling_3d": dict(E=32), "max_pooling_3d": dict(E=32)}


def lowered(kgtrain, path, options):
    extents = {**EXTENTS, **POOLING.get(path.stem, {})}
    head = path.read_text().splitlines()[0]
    bound = [f"--bind={name}={extents[name]}" for name in sorted(set(re.findall(r"\b[A-Z]\b", head)))]
    return subprocess.run([kgtrain, "dsl", "lower", str(path), "--entry=custom_op", *bound, *options], check=True,
                          capture_output=True, text=True).stdout


def main():
    from transformers import AutoTokenizer
    kgtrain, model, *gguf = sys.argv[1:]
    tokenizer = AutoTokenizer.from_pretrained(model, **({"gguf_file": gguf[0]} if gguf else {}))
    tokens = lambda text: len(tokenizer(text)["input_ids"])
    rows = []
    for path in sorted(PROGRAMS.glob("*/*.dsl")):
        if path.parent.name == "mhc":
            continue
        rows.append([tokens(path.read_text()), *(tokens(lowered(kgtrain, path, options)) for options in (["--compact"], []))])
        print(f"{path.stem:42} {rows[-1][0]:5} {rows[-1][1]:6} {rows[-1][2]:6}")
    dsl, compact, full = zip(*rows)
    print(f"{len(rows)} programs: median {statistics.median(dsl)} tokens, compact {statistics.median(compact)}, full {statistics.median(full)}")
    print(f"median ratio to compact {statistics.median(d / c for d, c in zip(dsl, compact)):.3f}, to full "
          f"{statistics.median(d / f for d, f in zip(dsl, full)):.3f}")


if __name__ == "__main__":
    main()
