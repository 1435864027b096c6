"""Systematic ways to spoil a text. A rule gives the spoiled text, or None where it finds nothing to spoil."""

import re


def sub(pattern, by, count=1):
    def rule(text):
        made = re.sub(pattern, by, text, count=count, flags=re.MULTILINE)
        return made if made != text else None
    return rule


def without(part):
    """Drops every line with `part`."""
    return sub(rf"^[^\n]*{part}[^\n]*\n", "", 0)


def last(pattern, by):
    """Changes the last match alone."""
    def rule(text):
        matches = list(re.finditer(pattern, text, re.MULTILINE))
        return text[:matches[-1].start()] + matches[-1].expand(by) + text[matches[-1].end():] if matches else None
    return rule


def into_entry(statement):
    """Puts a statement first into the kernel function."""
    return sub(r"(__global__ __aicore__ void \w+\([^)]*\)\s*\{)", r"\1\n  " + statement)


ASCENDC = {
    "cut": lambda text: text[:len(text) * 3 // 5],
    "empty": lambda text: "",
    "endless": into_entry("for (volatile int i = 0;;) i = i + 1;"),
    "far_output": last(r"(DataCopy(?:Pad)?\(\w+\[)", r"\g<1>1000000 + "),
    "half_a_type": sub(r"GlobalTensor<float>", "GlobalTensor<half>"),
    "large_buffer": sub(r"(InitBuffer\([^;]*?)(\d+)\);", r"\g<1>\g<2> * 64);"),
    "large_stack": into_entry("volatile char room[1 << 20]; room[GetBlockIdx()] = 1;"),
    "no_barriers": without("PipeBarrier"),
    "no_dequeue": without("DeQue"),
    "no_enqueue": without("EnQue"),
    "no_free": without("FreeTensor"),
    "no_include": without("#include"),
    "no_load": sub(r"^\s*DataCopy(Pad)?\([^;]*;\n", ""),
    "no_semicolon": sub(r"\);$", ")"),
    "no_set": without("SetFlag"),
    "no_store": last(r"^\s*DataCopy(Pad)?\([^;]*;\n", ""),
    "no_sync_all": without("SyncAll"),
    "no_wait": without("WaitFlag"),
    "null_pointer": into_entry("*(volatile int*)nullptr = 1;"),
    "one_core": sub(r"GetBlockIdx\(\)", "0", 0),
    "other_cast": sub(r"CAST_(RINT|ROUND)", "CAST_FLOOR", 0),
    "other_entry": sub(r"(__global__ __aicore__ void \w+)\(", r"\1_other("),
    "other_operation": sub(r"\b(Add|Mul|Max|Exp|Adds|Muls|Maxs)\(", lambda call: {
        "Add": "Sub", "Mul": "Add", "Max": "Min", "Exp": "Ln", "Adds": "Muls", "Muls": "Adds", "Maxs": "Mins"}
        [call[1]] + "("),
    "other_number": sub(r"\b(\d+\.\d+)f\b", r"(\1f + 0.25f)"),
    "scalar_loop": into_entry("volatile float s = 1; for (int i = 0; i < 5000; ++i) s = s * 1.0001f;"),
    "shifted_load": sub(r"(DataCopy\(\w+, \w+\[)", r"\g<1>1 + "),
    "small_buffer": sub(r"(InitBuffer\([^;]*?)(\d+)\);", r"\g<1>32);"),
    "typo_in_call": sub(r"\b(Add|Mul|Exp|Muls|Adds|Cast|Duplicate)\(", r"\1x("),
    "unknown_name": last(r"\bGetBlockNum\(\)", "BlockCount"),
    "wild_pointer": into_entry("*(volatile int*)0x7ffff7dd0000 = 1;"),
}

DSL = {
    "beyond": sub(r"(load \w+\[[^]]*?)\bt\]", r"\1t + 4]"),
    "cut": lambda text: text[:len(text) * 3 // 5],
    "empty": lambda text: "",
    "few_cores": sub(r":\n", ":\n  launch 1\n"),
    "indent": last(r"^  ( *)store", r"\1 store"),
    "no_barrier": without("barrier"),
    "no_store": without("store"),
    "other_number": sub(r"\b(\d+\.\d+)", r"(\1 + 0.25)"),
    "other_operation": last(r" ([*+]) ", " - "),
    "small_tiles": sub(r"tiles\((\w+)\)", r"tiles(\1, 24)"),
    "tile_beyond_ub": sub(r"tiles\((\w+)\)", r"tiles(\1, 200000)"),
    "other_type": sub(r": (float|half|bfloat16)\[", ": int8["),
    "typo_in_function": sub(r"\b(exp|sum|max|min|relu|sqrt|abs)\(", r"\1x("),
    "typo_in_word": sub(r"\bin cores\(", "in core("),
    "unknown_name": last(r"= (\w+)\b(?!\()", r"= \1_"),
}

PROJECT = {
    "failing_tiling": last(r"GRAPH_SUCCESS", "GRAPH_FAILED"),
    "no_blocks": sub(r"SetBlockDim\([^;]*\);", "SetBlockDim(0);"),
    "no_tiling_data": without(r"SaveToBuffer"),
    "one_block": sub(r"SetBlockDim\([^;]*\);", "SetBlockDim(1);"),
    "other_chip": sub(r'AddConfig\("\w+"\)', 'AddConfig("ascend310p")'),
    "other_operation": ASCENDC["other_operation"],
    "small_buffer": ASCENDC["small_buffer"],
    "no_store": ASCENDC["no_store"],
    "typo_in_host": sub(r"SetBlockDim\(", "SetBlockDims("),
    "unregistered": without("OP_ADD"),
}

MODULE = {
    "a_list": sub(r"return (custom_ops_lib\.\w+\([^\n]*\))$", r"return [\1]"),
    "flattened": sub(r"return (custom_ops_lib\.\w+\([^\n]*\))$", r"return \1.reshape(-1)"),
    "no_binding": sub(r"m\.def\(", "m.ndef("),
    "no_json": sub(r'\[\{"op"', '[{"op'),
    "other_command": sub(r"EXEC_NPU_CMD\(aclnn\w+", "EXEC_NPU_CMD(aclnnRelu"),
    "other_number": sub(r"(Muls\([^;]*?, )(\d+\.\d+f|data\.\w+)", r"\1(\2 + 0.01f)"),
    "python_computes": sub(r"return custom_ops_lib\.\w+\((self\.)?(\w+)[^\n]*$", r"return torch.relu(\2) * 2"),
    "raises": sub(r"return custom_ops_lib", "return undefined"),
    "twice_the_input": sub(r"EXEC_NPU_CMD\((\w+), (\w+),", r"EXEC_NPU_CMD(\1, \2, \2,"),
    "typo_in_kernel": sub(r"\b(Relu|Muls|Adds|Mul)\(", r"\1x("),
}

