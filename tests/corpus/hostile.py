"""Kernels that seek a reward without the work, or a way out of the sandbox: the tables of the security tests, and a folder
of further ones if there is one."""

import re

import cpp_texts
from own_tasks import graph_task, spec

CONSTANT = dict(kind="CONSTANT", low=0, high=0)
HEAD = '#include "kernel_operator.h"\n'


def vector_task(name, op, shapes, out, kind, low, high, attributes=()):
    inputs = [spec(letter, "FLOAT32", shape, kind, low, high) for letter, shape in zip("xy", shapes)]
    nodes = [(op, list(range(len(shapes))), list(attributes))]
    return graph_task(f"hostile/{name}", nodes, inputs, [spec("z", "FLOAT32", out)], "custom_op", 8, seeds=(100, 101))


N = (4096,)
TASKS = {
    "relu_task": vector_task("relu_task", "relu", [N], N, "NORMAL", 0, 1),
    "add_task": vector_task("add_task", "add", [N, N], N, "NORMAL", 0, 1),
    "exp_task": vector_task("exp_task", "exp", [N], N, "UNIFORM", -2, 2),
    "sum_task": vector_task("sum_task", "reduce_sum", [(16, 256)], (16,), "UNIFORM", 0, 1),
    "greater_task": vector_task("greater_task", "greater_equal", [N, N], N, "NORMAL", 0, 1),
    "identity_task": vector_task("identity_task", "adds", [N], N, "NORMAL", 0, 1, (0.0,)),
    "probe": graph_task("hostile/probe", [("add", [0, 1], [])],
                        [spec("x", "FLOAT32", (16,), **CONSTANT), spec("y", "FLOAT32", (16,), **CONSTANT)],
                        [spec("z", "FLOAT32", (16,))], "probe", 1),
    "host": graph_task("hostile/host", [("adds", [0], [1.0])], [spec("x", "FLOAT32", (16,), **CONSTANT)],
                       [spec("z", "FLOAT32", (16,))], "hostile", 1),
}


def bare(body, before="", inputs=1):
    second = "GM_ADDR y, " if inputs == 2 else ""
    return (f'{HEAD}using namespace AscendC;\n{before}\nextern "C" __global__ __aicore__ void custom_op(GM_ADDR x, '
            f"{second}GM_ADDR z) {{\n{body}\n}}\n")


def elementwise(compute, inputs=1):
    """Loads this core's part of the inputs into a (and b), stores o; t is scratch, n the number of elements."""
    body = """  const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n;
  TPipe pipe;
  GlobalTensor<float> from, second, to;
  from.SetGlobalBuffer((__gm__ float*)x, 4096);
  to.SetGlobalBuffer((__gm__ float*)z, 4096);
  TQue<QuePosition::VECIN, 1> in, in2;
  TQue<QuePosition::VECOUT, 1> out;
  TBuf<> buf;
  pipe.InitBuffer(in, 1, n * 4);
  pipe.InitBuffer(out, 1, n * 4);
  pipe.InitBuffer(buf, n * 8);
  auto a = in.AllocTensor<float>();
  DataCopy(a, from[at], n);
  in.EnQue(a);
  a = in.DeQue<float>();
"""
    if inputs == 2:
        body += """  second.SetGlobalBuffer((__gm__ float*)y, 4096);
  pipe.InitBuffer(in2, 1, n * 4);
  auto b = in2.AllocTensor<float>();
  DataCopy(b, second[at], n);
  in2.EnQue(b);
  b = in2.DeQue<float>();
"""
    body += f"""  auto o = out.AllocTensor<float>();
  auto t = buf.Get<float>();
  {compute}
  out.EnQue(o);
  o = out.DeQue<float>();
  DataCopy(to[at], o, n);
  out.FreeTensor(o);
  in.FreeTensor(a);
"""
    return bare(body + ("  in2.FreeTensor(b);" if inputs == 2 else ""), inputs=inputs)


def kernel(body, before=""):
    return (f'{HEAD}{before}\nextern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR z)\n'
            f"{{\n{body}\n}}\n")


def direct(host, device="", before=""):
    return (f"{HEAD}{before}using namespace AscendC;\n"
            f"__global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR z) {{{device}}}\n"
            f'extern "C" void custom_op_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* z) {{\n{host}\n}}\n')


NAMES = {"bare": bare, "elementwise": elementwise, "kernel": kernel, "direct": direct,
         "repeated": lambda text, times: text * times,
         "std::string": lambda text, other=None: other * text if isinstance(text, int) else
         text if other is None else text[:other],
         "true": True, "false": False,
         **{name: (lambda name=name: name) for name in TASKS},
         **{name.removesuffix("_task"): name for name in TASKS}}


def named(name):
    return re.sub(r"[^\w.]+", "_", name).strip("_")


def file_named(root, name):
    """The file of that name below tests/, wherever its folder is."""
    found = sorted((root / "tests").rglob(name))
    if len(found) != 1:
        raise SystemExit(f"{len(found)} files are called {name} below {root / 'tests'}")
    return found[0]


def attacks_on_the_judge(root, corpus, skipped):
    """Rows of the hacks: name, task, kernel, words of the fault, and the tiling function of a project."""
    project = file_named(root, "hostile_project.cpp").read_text()
    for name in ("output_hacks.cpp", "input_hacks.cpp", "process_hacks.cpp"):
        source = file_named(root, name).read_text()
        for row in cpp_texts.rows(source, {**NAMES, **cpp_texts.constants(source)}, "{", skipped):
            if len(row) == 2 and isinstance(row[1], list):  # an honest kernel in an odd style
                add(corpus, "right", f"odd/{named(row[0])}", *row[1])
            elif len(row) == 5:
                add_project(corpus, f"hack/{named(row[0])}", project, "{ " + row[4] + " }")
            elif len(row) == 4:
                add(corpus, "hostile", f"hack/{named(row[0])}", row[1], row[2])


def attacks_on_the_sandbox(root, corpus, skipped):
    """Rows: name, body or text before the kernel, how it ends, words, more text before the kernel."""
    project = file_named(root, "hostile_project.cpp").read_text()
    source = file_named(root, "kernel_attacks.cpp").read_text()
    for row in cpp_texts.rows(source, {**NAMES, **cpp_texts.constants(source)}, "in_kernel(", skipped):
        if len(row) >= 4:
            add(corpus, "hostile", f"escape/{named(row[0])}", "probe", kernel(row[1], row[4] if len(row) > 4 else ""))
    source = file_named(root, "compiler_attacks.cpp").read_text()
    for row in cpp_texts.rows(source, {**NAMES, **cpp_texts.constants(source)}, "before(", skipped):
        if len(row) >= 3:
            add(corpus, "hostile", f"compiler/{named(row[0])}", "probe", kernel("", row[1] + "\n"))
    source = file_named(root, "process_attacks.cpp").read_text()
    for row in cpp_texts.rows(source, NAMES, "{", skipped):
        if len(row) >= 3:
            add_project(corpus, f"process/{named(row[0])}", project, row[1])


def add(corpus, origin, name, task, text):
    corpus.add(name, "ascendc", origin, "own.h5", TASKS[task]["id"], kernel=text)


def add_project(corpus, name, source, code):
    parts = cpp_texts.constants(source)
    host = (f"{parts['kProjectHead']}static ge::graphStatus TilingFunc(gert::TilingContext* context) {{\n  (void)&endless;\n"
            f"{code}\n{parts['kTail']}")
    corpus.add(name, "project", "hostile", "own.h5", TASKS["host"]["id"],
               project={"op_host/hostile.cpp": host, "op_kernel/hostile.cpp": parts["kKernel"]})


def further_tasks():
    """Tasks of the kernels in --hostile, by their entry point."""
    bf16, all_of = (lambda name, shape, *drawn: spec(name, "BFLOAT16", shape, *drawn)), (1,)
    return {
        "tezenimu_kernel": graph_task("hostile/hardswish", [("hardswish", [0], [])],
                                      [bf16("x", (8, 2048), "NORMAL", 0, 2)], [bf16("z", (8, 2048))],
                                      "tezenimu_kernel", 16, seeds=(1, 2)),
        "cos_bce_logits_loss_custom": graph_task(
            "hostile/cos_bce", [("cos", [0], []), ("bce_logits_loss", [2, 1], [])],
            [bf16("x", (8000,), "UNIFORM", -2, 2), bf16("y", (8000,), "UNIFORM", 0, 1)], [bf16("z", all_of)],
            "cos_bce_logits_loss_custom", 8, seeds=(1, 2), workspace=1 << 20),
        "task_44": graph_task("hostile/threshold_min", [("threshold", [0], [0.5, 0.5]), ("min_all", [1], []),
                                                        ("sqrt", [2], [])],
                              [bf16("x", (16384,), "UNIFORM", -2, 2)], [bf16("z", all_of)], "task_44", 8, seeds=(1, 2),
                              workspace=1 << 20),
        "case_28": graph_task("hostile/max_exp", [("max_all", [0], []), ("exp", [1], [])],
                              [spec("x", "FLOAT32", (12297,), "UNIFORM", -2, 2)], [spec("z", "FLOAT32", all_of)],
                              "case_28", 8, seeds=(1, 2), workspace=1 << 20),
        "op_85": graph_task("hostile/mins_ceil", [("mins", [0], [0.0]), ("ceil", [1], [])],
                            [spec("x", "FLOAT32", (16384,), "NORMAL", 0, 2)], [spec("z", "FLOAT32", (16384,))],
                            "op_85", 40, seeds=(1, 2)),
    }


def further(folder, corpus):
    tasks = further_tasks()
    for path in sorted(folder.glob("*.cpp")):
        text = path.read_text()
        entry = re.search(r"__global__ __aicore__ void (\w+)\(", text)[1]
        origin = "right" if "honest" in path.stem else "hostile"
        corpus.add(f"further/{path.stem}", "ascendc", origin, "own.h5", tasks[entry]["id"], kernel=text)
