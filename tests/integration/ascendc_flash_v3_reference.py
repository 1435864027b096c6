#!/usr/bin/env python3
"""The numbers of SoftmaxFlashV3 in ascendc_library_test.cpp, by numpy, after the pseudocode of the call's page: for a row of
each of two pieces, one after the other, the mean, sum, maximum, factor, and three elements of the result."""
import numpy as np

ROWS, WIDTH, PARTS, ALPHA = 8, 1024, 8, 0.9375


def piece(multiplier, shift):
    i = np.arange(ROWS * WIDTH)
    return (((i * multiplier + i // 128 * 7 + shift) % 101 - 50) / 16).reshape(ROWS, WIDTH)


def flash_v3(src, pieces, earlier=None):
    scalar = ALPHA / (1 - ALPHA)
    parts = src.reshape(ROWS, PARTS, WIDTH // PARTS)
    own = src.mean(axis=1, keepdims=True)
    src = (parts - (own[:, :, None] - parts.mean(axis=2, keepdims=True)) * scalar).reshape(ROWS, WIDTH)
    highest = src.max(axis=1, keepdims=True)
    if earlier is None:
        result = np.exp(src - highest)
        return result, own, result.sum(axis=1, keepdims=True), highest, None
    earlier_mean, earlier_sum, earlier_max = earlier
    mean = (own + earlier_mean * (pieces - 1)) / pieces
    current, previous = (own - mean) * scalar, (earlier_mean - mean) * scalar
    top = np.maximum(current + highest, previous + earlier_max)
    result = np.exp(src - (top - current))
    factor = np.exp(earlier_max - top + previous)
    return result, mean, factor * earlier_sum + result.sum(axis=1, keepdims=True), top, factor


first = flash_v3(piece(37, 3), 1)
second = flash_v3(piece(29, 11), 2, first[1:4])
for result, mean, total, top, factor in (first, second):
    for row in (0, 5):
        f = 0 if factor is None else factor[row, 0]
        at = [int(k) for k in np.argsort(result[row])[[-1, -40, -200]]]
        print(f"{{{row}, {mean[row, 0]:.9g}, {total[row, 0]:.9g}, {top[row, 0]:.9g}, {f:.9g}, "
              + ", ".join(f"{{{k}, {result[row, k]:.9g}}}" for k in at) + "},")
