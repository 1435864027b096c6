"""What kgtrain asks a model for: the reference module, and the six texts that an answer consists of."""

TEXT = """Write an operator in Ascend C for an Atlas A2 (Ascend 910B) that computes what this PyTorch module computes, and a module
ModelNew that calls it in place of PyTorch's own operators.

```python
{reference}
```

Answer with one Python code block that sets six variables, each a text:

- `project_json_src`: the operator's description for msopgen, a JSON list with one operator named {type}
- `host_tiling_src`: the header op_host/{name}_tiling.h
- `host_operator_src`: op_host/{name}.cpp: tiling function, shape inference, operator definition
- `kernel_src`: op_kernel/{name}.cpp with the kernel function {name}
- `python_bind_src`: C++ with PYBIND11_MODULE; EXEC_NPU_CMD of pytorch_npu_helper.hpp runs the operator as aclnn{type}; Python
  sees the module as `custom_ops_lib`
- `model_src`: Python with the class ModelNew, constructed and called as Model is; where Model has weights, ModelNew draws the
  same ones in the same order

The core of the computation belongs into the kernel; the module only allocates, reshapes and calls it.
"""


def make(task, type_name, operator_name):
    return TEXT.format(reference=task.path.read_text().strip(), type=type_name, name=operator_name)
