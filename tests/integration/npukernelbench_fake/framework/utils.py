import torch


def preprocess_dataframe(frame):
    return frame


def check_precision(expected, found, max_abs_error, max_rel_error):
    difference = torch.abs(expected - found)
    quotient = difference / (torch.abs(expected) + 1e-7)
    wrong = (difference > max_abs_error) & (quotient > max_rel_error)
    return int(not wrong.any()), difference, quotient
