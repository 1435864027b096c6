"""Ways from a tensor to its numbers, and back, that pass PyTorch's operators by: numpy, lists, addresses.

An operator that PyTorch runs is seen by a dispatch mode; what numpy or ctypes computes is not. So the doors are watched instead.
"""

OUT = ("__array__", "__dlpack__", "_typed_storage", "data_ptr", "numpy", "storage", "tolist", "untyped_storage")
IN = ("as_tensor", "asarray", "from_dlpack", "from_numpy", "frombuffer")


def watch(torch, note, ours):
    """Calls note(name) whenever numbers are taken out of a tensor, unless ours(). Tensors made of other memory are copies of
    it: a tensor that shares memory with numpy would leak numbers later, by a plain copy into it."""

    def noted(name, function):
        def method(*args, **kwargs):
            if not ours():
                note(name)
            return function(*args, **kwargs)

        return method

    def copied(function):
        def made(*args, **kwargs):
            tensor = function(*args, **kwargs)
            return tensor if ours() else tensor.clone()

        return made

    for name in OUT:
        setattr(torch.Tensor, name, noted(f"Tensor.{name}", getattr(torch.Tensor, name)))
    for name in IN:
        setattr(torch, name, copied(getattr(torch, name)))
    torch.to_dlpack = torch.utils.dlpack.to_dlpack = noted("to_dlpack", torch.utils.dlpack.to_dlpack)
    torch.utils.dlpack.from_dlpack = copied(torch.utils.dlpack.from_dlpack)
