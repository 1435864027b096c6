import torch


class HeavyBall(torch.nn.Module):
    def __init__(self, friction=0.12, rate=0.004):
        super().__init__()
        self.friction = friction
        self.rate = rate

    def forward(self, weights, slope, speed):
        speed = 0.88 * speed - self.rate * slope
        return weights + speed, speed


def get_inputs():
    return [torch.randn(70, 90) for _ in range(3)]
