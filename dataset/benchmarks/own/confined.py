"""worker.py inside a cell (kgtrain-sandbox worker): the file is untrusted, so only the form of what is said here is relied on.

    confined.py FOLDER_OF_JSON_FRAME FILE

One request on standard input, its answer on descriptor 3.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), sys.argv[1]]

sys.modules["dill"] = None  # PyTorch would load it, and it looks for devices that a cell does not have

import serving

serving.answer_to(3)

import worker

serving.serve("an operator", lambda: None, lambda: worker.Worker(sys.argv[2]), most=1)
