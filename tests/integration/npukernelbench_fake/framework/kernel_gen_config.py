from types import SimpleNamespace

config = SimpleNamespace(static_shape_mode=True, kernel_only_mode=True, chat=SimpleNamespace(active=False))
