"""One module per repository, each with REPOSITORY and cases(random); harness.py runs them."""

from . import (ascend_op_gen_agent, infini_core, jittor_infer, mindie_sd, op_plugin, pytorch_tcuscan, rwkv7_ascend_npu, sgl_kernel_npu,
               vllm_ascend, xllm_ops)

REPOSITORIES = [ascend_op_gen_agent, infini_core, jittor_infer, mindie_sd, op_plugin, pytorch_tcuscan, rwkv7_ascend_npu, sgl_kernel_npu,
                vllm_ascend, xllm_ops]
