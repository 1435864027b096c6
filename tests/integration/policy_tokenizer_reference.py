"""Texts and their token ids by the Hugging Face `tokenizers` library, as JSON {"texts": [...], "ids": [[...], ...]}.

  policy_tokenizer_reference.py MODEL.gguf OUT.json [--large [EXPORTED_FOLDER]]

The reference tokenizer is put together from the fields of the GGUF file. Without --large the texts are the few hundred lines of the
checked-in policy_tokenizer_fixture.json; with it there are more than 1 MB, Python's own sources among them, and with a folder that
kgtrain exported, what transformers.AutoTokenizer reads from there must give the same ids.
"""

import json
import pathlib
import random
import sys
import sysconfig

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers


def reference_tokenizer(path):
    fields = GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab={token: id for id, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    types = fields["tokenizer.ggml.token_type"].contents()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, types) if kind == 3])
    special = [t for t, kind in zip(tokens, types) if kind == 3]
    return tokenizer, special


WORDS = ("the of kernel tile queue Ascend vector it's I'm WE'RE they've don't she'll he'd 's 'S ' ''' naïve Straße ångström привет мир "
         "مرحبا שלום नमस्ते ไทย 日本語 ひらがな カタカナ 한국어 算子 张量 编译 内核 数据搬运 流水线 你好世界 DataCopy<half> __aicore__ x+=y; a->b "
         "foo_bar fooBar FooBar ::std //comment /*x*/ #include \"a.h\" {}()[] ... --- === != <= >>= 0x1F 3.14159 1e-5 2026-11-21 １２３ ⅷ ½ ² ٣ "
         "e\u0301 \u200d \ufeff \u00ad \u180e \u200b 👩‍👩‍👧‍👦 🏳️‍🌈 😀 🇩🇪 👍🏽 ✨ ∑ √ ≤ → ☃ 𝒳 𐍈 𠮷").split(" ")
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n", "\n ", "    ", "\t\t", "\u00a0", "\u3000", "\u2009", "\u2028", "\u0085", "\v",
          "\f", "\x1c", "", "", " ", " ", " ", " "]


def random_line(rng, special):
    parts = []
    for _ in range(rng.randrange(1, 14)):
        kind = rng.random()
        if kind < 0.62:
            parts.append(rng.choice(WORDS))
        elif kind < 0.72:
            parts.append(str(rng.randrange(10 ** rng.randrange(1, 12))))
        elif kind < 0.8:
            parts.append("".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(rng.randrange(1, 12))))
        elif kind < 0.86:
            parts.append("".join(chr(rng.choice([rng.randrange(32, 127), rng.randrange(0xA0, 0x250)])) for _ in range(8)))
        elif kind < 0.9:
            parts.append(rng.choice("ab=- #*_.\u4e00") * rng.randrange(1, 70))
        elif kind < 0.94:
            parts.append(rng.choice(special))
        elif kind < 0.97:
            parts.append(rng.choice(special)[: rng.randrange(1, 9)] + rng.choice(special)[rng.randrange(1, 4):])
        else:
            parts.append(chr(rng.choice([rng.randrange(0, 32), rng.randrange(0x250, 0xD800), rng.randrange(0xE000, 0x110000)])))
        parts.append(rng.choice(SPACES))
    return "".join(parts)


def code_points():
    """Every assigned code point between letters, digits and spaces, some in a run, 256 a text."""
    import unicodedata
    assigned = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cs", "Co", "Cn")]
    for begin in range(0, len(assigned), 256):
        yield "".join(f"a{c}b {c}1{c}{c} " for c in assigned[begin:begin + 256])


def main():
    tokenizer, special = reference_tokenizer(sys.argv[1])
    large = "--large" in sys.argv
    rng = random.Random(20261121)
    texts = ["", " ", "\n", "a", special[0], special[1] * 3, "x" * 500, "1" * 50] + [random_line(rng, special) for _ in range(300)]
    if large:
        texts += ["\n".join(random_line(rng, special) for _ in range(40)) for _ in range(300)]
        sources = sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:60]
        texts += [path.read_text(encoding="utf-8") for path in sources]
        texts += list(code_points())
        texts += ["".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(20000)), "ab" * 20000, " " * 20000, "=" * 20000]
    ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    if large and len(sys.argv) > 4:
        from transformers import AutoTokenizer
        exported = AutoTokenizer.from_pretrained(sys.argv[4])
        assert exported(texts, add_special_tokens=False)["input_ids"] == ids, "the exported tokenizer gives other ids"
        chat = [{"role": "user", "content": "Hi"}]
        print("PROMPT " + json.dumps(exported.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)))
        assert exported.decode(exported("你好 x  1\n")["input_ids"]) == "你好 x  1\n"
        assert exported.eos_token == "<|im_end|>" and exported.pad_token is not None
    print(f"{len(texts)} texts, {sum(len(t.encode()) for t in texts)} bytes, {sum(map(len, ids))} tokens")
    lines = ",\n".join(json.dumps([t, i], separators=(",", ":")) for t, i in zip(texts, ids))
    pathlib.Path(sys.argv[2]).write_text("[\n" + lines + "\n]\n")


main()
