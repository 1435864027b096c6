import os
import signal

import torch
from framework.utils import check_precision


def get_inputs(param, device=None):
    if os.environ.get("FAKE_KILL") == str(param["case_id"]):
        os.kill(os.getppid(), signal.SIGKILL)
    dtype = getattr(torch, param["dtype"])
    return ([torch.rand(shape, dtype=dtype) for shape in eval(param["shapes"])], torch.tensor(0.5))


def get_init_inputs(param, device=None):
    return []


def custom_check_precision(param, outputs, outputs_new):
    bound = 0.01 if param["dtype"] == "float16" else 0.0001
    return check_precision(outputs, outputs_new, max_abs_error=bound, max_rel_error=bound)
