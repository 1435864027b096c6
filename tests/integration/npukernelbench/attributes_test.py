"""What an import tells a kernel stays on other inputs: attributes that a task draws at random. Needs PyTorch.

usage: attributes_test.py
"""

import pathlib
import sys
import unittest

import torch

ROOT = pathlib.Path(__file__).resolve().parents[3] / "dataset/benchmarks"
sys.path[:0] = [str(ROOT / "npukernelbench"), str(ROOT), str(ROOT.parents[1] / "proto")]

import case
import forms
import short_prompt


class Drawn(case.Case):
    """Inputs and attributes without a checkout: `reads` makes attributes of the arguments, as a binding does."""

    def __init__(self, seed, reads):
        torch.manual_seed(seed)
        self.init, self.notes, self.reads, self.captures = [], [], reads, 0
        self.arguments = (torch.rand(4), torch.randint(-9, 9, (1,)).item(), torch.rand(1), [torch.rand(2), 3])

    def capture(self, spare):
        self.captures += 1
        self.attributes = [self.reads(self.arguments)]


class Attributes(unittest.TestCase):
    def other(self, reads):
        told, other = Drawn(1, reads), Drawn(2, reads)
        own = other.arguments
        other.keep_attributes(told)
        other.capture(False)
        self.assertEqual(other.attributes, told.attributes)
        self.assertTrue(torch.equal(other.arguments[0], own[0]) and torch.equal(other.arguments[3][0], own[3][0]))
        return told, other, own

    def test_a_plain_value_stays(self):
        told, other, own = self.other(lambda arguments: arguments[1])
        self.assertTrue(torch.equal(other.arguments[2], own[2]), "a tensor that is no attribute is drawn again")

    def test_a_tensor_of_one_element_stays(self):
        told, other, _ = self.other(lambda arguments: arguments[2].item())
        self.assertTrue(torch.equal(other.arguments[2], told.arguments[2]))

    def test_inputs_that_are_no_attributes_are_drawn_again(self):
        _, other, own = self.other(lambda arguments: 2.0)
        self.assertEqual(other.arguments[1], own[1])


class Constants(unittest.TestCase):
    """Constants of a module that an operator definition can have as attributes."""

    def test_lists_of_lists_of_integers_are_attributes(self):
        made = forms.attributes({"axes": [[1, 2], (3,), []], "mixed": [[1], 2], "reals": [[1.5]], "flags": [[True]]})
        self.assertEqual([(one["name"], one["type"], one["value"]) for one in made],
                         [("axes", "ListListInt", [[1, 2], (3,), []])])


class Prompts(unittest.TestCase):
    """Attributes of the type float come back as float32, widened."""

    def test_a_widened_float_is_shown_as_it_was_written(self):
        for written in ("1e-06", "0.9", "1e-05", "0.1234567", "3.0", "-0.3", "0.0"):
            with self.subTest(written):
                self.assertEqual(str(short_prompt.as_written(torch.tensor(float(written), dtype=torch.float32).item())), written)
        for value in (1e-06, 0.1, float("inf"), 7, True, "none", [1, 2]):
            with self.subTest(value):
                self.assertEqual(short_prompt.as_written(value), value)


if __name__ == "__main__":
    unittest.main()
