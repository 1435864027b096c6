import torch
import torch.nn as nn

classes = 10


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.1)

    def forward(self, logits, labels):
        return self.loss(logits, labels)


def get_inputs():
    return [torch.randn(64, classes), torch.randint(0, classes, (64,))]
