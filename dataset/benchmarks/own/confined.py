"""worker.py inside a cell (kgtrain-sandbox worker): the file is anybody's, so nothing that is said here is believed but for its form.

    confined.py FOLDER_OF_JSON_FRAME FILE

One request on standard input, its answer on descriptor 3.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), sys.argv[1]]

sys.modules["dill"] = None  # which PyTorch would load, and which asks for devices that a cell does not have

import serving

serving.answer_to(3)

import worker

serving.serve("an operator", lambda: None, lambda: worker.Worker(sys.argv[2]), most=1)
