import os


class TaskObject:
    def __init__(self, path, sample_id, case_id=None, kernel_name=None):
        self.path, self.case_id, self.op_name = path, case_id, os.path.basename(path)
