"""The taskset of kgtrain.verifiers under an id that verifiers can import: "kgtrain-kernels"."""

from kgtrain.verifiers import KernelTaskset

__all__ = ["KernelTaskset"]
