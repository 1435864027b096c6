def detect_python_kernel_cheating(code):
    found = [{"line": i + 1, "call": "torch.relu", "reason": "computes in PyTorch"}
             for i, line in enumerate(code.splitlines()) if "torch.relu" in line]
    return bool(found), {"checks": {"no_torch": {"violations": found, "error": None}}}
