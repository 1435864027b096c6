"""Replacements for what the benchmark expects on an NPU host: torch_npu, the language model's client, kernel_gen_ops.

A task's pybind.cpp is compiled against pytorch_npu_helper.hpp, so that which tensors and attributes its kernel
gets, and which outputs are allocated for it, is what the benchmark's own binding says.
"""

import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import sysconfig
import types

CHUNKS = 4  # translation units: few, so that the headers of PyTorch are read few times


class _Stub(types.ModuleType):
    """A module on which any attribute exists and can be called, without effect."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Stub(name)

    def __call__(self, *args, **kwargs):
        return self


def install(root):
    """Makes `import torch_npu` and similar imports work, and the benchmark's own packages importable."""
    sys.argv = [sys.argv[0]]  # framework/arg_parser reads them
    sys.path.insert(0, str(root))
    for name in ("torch_npu", "torch_npu.contrib", "torch_npu.contrib.transfer_to_npu", "kernel_gen_ops",
                 "kernel_generator.llm_api"):
        sys.modules[name] = _Stub(name)
    capture = types.ModuleType("kg_npu_capture")
    capture.command = lambda name, arguments: None
    sys.modules["kg_npu_capture"] = capture
    draw_integers()


def draw_integers():
    """Some rows ask rand, randn, normal_ and uniform_ for integers, which PyTorch refuses on a CPU and NPUs do not: the
    numbers are drawn as float32 and converted."""
    import torch

    def as_float(original):
        def draw(*args, dtype=None, **kwargs):
            if dtype is not None and not dtype.is_floating_point and not dtype.is_complex:
                return original(*args, dtype=torch.float32, **kwargs).to(dtype)
            return original(*args, dtype=dtype, **kwargs)

        return draw

    def in_place(original):
        def draw(self, *args, **kwargs):
            if self.is_floating_point() or self.is_complex():
                return original(self, *args, **kwargs)
            return self.copy_(original(torch.empty(self.shape, dtype=torch.float32), *args, **kwargs))

        return draw

    for name in ("rand", "randn", "rand_like", "randn_like"):
        setattr(torch, name, as_float(getattr(torch, name)))
    for name in ("normal_", "uniform_"):
        setattr(torch.Tensor, name, in_place(getattr(torch.Tensor, name)))


class Bindings:
    """The pybind.cpp files of the tasks, compiled into one library."""

    def __init__(self, build_folder, compiler, helper):
        self.helper = pathlib.Path(helper)
        self.folder = pathlib.Path(build_folder)
        self.compiler = compiler
        self.failed = {}  # task id: compiler output
        self._library = None
        self._index = {}

    def build(self, tasks, say):
        """Compiles files that are not compiled yet. A file that does not compile is left out, and recorded in `failed`."""
        headers = [path.read_text() for path in sorted(self.helper.rglob("*.h*"))]
        sources = [self._source(task) for task in tasks]
        import torch

        known = [*headers, torch.__version__, sys.version, *(task.id for task in tasks), *sources]
        folder = self.folder / hashlib.sha256("\0".join(known).encode()).hexdigest()[:16]
        library = folder / "kg_npu_bindings.so"
        failures = folder / "failed.txt"
        self._index = {task.id: i for i, task in enumerate(tasks)}
        if not library.exists():
            folder.mkdir(parents=True, exist_ok=True)
            self._compile(folder, tasks, sources, library, failures, say)
        if failures.exists():
            for block in failures.read_text().split("\x1e"):
                if block.strip():
                    task_id, text = block.split("\n", 1)
                    self.failed[task_id] = text
        spec = importlib.util.spec_from_file_location("kg_npu_bindings", library)
        self._library = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._library)

    def module(self, task):
        """This task's module kernel_gen_ops; replaces the stub from now on."""
        made = types.ModuleType("kernel_gen_ops")
        if task.id not in self.failed:
            self._library.bind(self._index[task.id], made)
        sys.modules["kernel_gen_ops"] = made

    @staticmethod
    def _source(task):
        """pybind.cpp with the replacements of framework/batch_compile.py."""
        text = (task.folder / "validation" / "pybind.cpp").read_text()
        return text.replace("aclnnCustomOp", f"aclnn{task.op_name}").replace("custom_pybind_api", task.kernel_name)

    def _flags(self):
        import torch

        python = sysconfig.get_paths()["include"]
        if not os.path.exists(os.path.join(python, "Python.h")):
            raise RuntimeError(f"Python.h is missing in {python}: install python3-dev")
        headers = os.path.join(os.path.dirname(torch.__file__), "include")
        paths = [str(self.helper), headers, os.path.join(headers, "torch/csrc/api/include"), python]
        flags = [f"-I{path}" for path in paths]
        abi = int(torch.compiled_with_cxx11_abi())
        return flags + [f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-std=c++17", "-O0", "-fPIC", "-w"]

    def _compile(self, folder, tasks, sources, library, failures, say):
        import torch

        flags = self._flags()
        header = folder / "all.h"
        header.write_text('#include "pytorch_npu_helper.hpp"\n')
        say("compiling the headers of PyTorch")
        self._run([*flags, "-x", "c++-header", str(header), "-o", str(header) + ".pch"])
        flags += ["-include-pch", str(header) + ".pch"]
        for i, source in enumerate(sources):
            (folder / f"task_{i}.cpp").write_text(source)
        good, text, objects = set(range(len(tasks))), [], []
        for chunk in range(CHUNKS):
            members = list(range(chunk, len(tasks), CHUNKS))
            say(f"compiling bindings, part {chunk + 1} of {CHUNKS}")
            if self._part(flags, folder / f"part_{chunk}.cpp", members) is not None:
                # Find out which of them do not compile, each on its own; leave those out.
                for i in list(members):
                    output = self._part(flags, folder / "alone.cpp", [i])
                    if output is not None:
                        members.remove(i)
                        good.discard(i)
                        text.append(f"{tasks[i].id}\n{output[:2000]}")
                self._run_part(flags, folder / f"part_{chunk}.cpp", members)
            objects.append(str(folder / f"part_{chunk}.cpp.o"))
        main = folder / "main.cpp"
        main.write_text(self._main(good, len(tasks)))
        self._run([*flags, "-c", str(main), "-o", f"{main}.o"])
        libraries = os.path.join(os.path.dirname(torch.__file__), "lib")
        temporary = str(library) + f".tmp{os.getpid()}"
        self._run(["-shared", *objects, f"{main}.o", "-o", temporary, f"-L{libraries}", f"-Wl,-rpath,{libraries}",
                   "-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10"])
        failures.write_text("\x1e".join(text))
        os.rename(temporary, library)
        for path in [*objects, f"{main}.o", str(header) + ".pch"]:
            os.unlink(path)

    def _part(self, flags, name, members):
        name.write_text(self._unit(members))
        return self._try([*flags, "-c", str(name), "-o", f"{name}.o"])

    def _run_part(self, flags, name, members):
        output = self._part(flags, name, members)
        if output is not None:
            raise RuntimeError(f"{self.compiler} failed: {output[:2000]}")

    @staticmethod
    def _unit(members):
        lines = ['#include "pytorch_npu_helper.hpp"', "#undef PYBIND11_MODULE",
                 "#define PYBIND11_MODULE(name, m) void kg_bind(pybind11::module_ &m)"]
        lines += [f'namespace task_{i} {{\n#include "task_{i}.cpp"\n}}' for i in members]
        return "\n".join(lines) + "\n"

    @staticmethod
    def _main(good, count):
        lines = ['#include "pytorch_npu_helper.hpp"']
        lines += [f"namespace task_{i} {{ void kg_bind(pybind11::module_ &m); }}" for i in sorted(good)]
        lines += ["PYBIND11_MODULE(kg_npu_bindings, m) {",
                  "  static const std::vector<void (*)(pybind11::module_ &)> all{"]
        lines += [f"    {f'&task_{i}::kg_bind' if i in good else 'nullptr'}," for i in range(count)]
        lines += ["  };", '  m.def("bind", [](int i, pybind11::module_ target) { all.at(i)(target); });', "}"]
        return "\n".join(lines) + "\n"

    def _try(self, arguments):
        done = subprocess.run([self.compiler, *arguments], capture_output=True, text=True)
        return None if done.returncode == 0 else done.stderr

    def _run(self, arguments):
        output = self._try(arguments)
        if output is not None:
            raise RuntimeError(f"{self.compiler} failed: {output[:2000]}")
