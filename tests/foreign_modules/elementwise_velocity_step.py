import torch


class Verlet(torch.nn.Module):
    """One position update of a particle simulation."""

    def __init__(self, dt):
        super().__init__()
        self.dt = dt
        self.half_square = 0.5 * dt ** 2

    def forward(self, position, velocity, acceleration):
        moved = position + velocity * self.dt
        return moved + acceleration * 0.00125


def get_init_inputs():
    return [0.05]


def get_inputs():
    particles = 5000
    return [torch.randn(particles, 3) for _ in range(3)]
