from framework.kernel_gen_config import config


class AscendCodeGenWithSft:
    def __init__(self, task, logger=None):
        self.task = task

    def build_code_generation_prompts(self):
        form = "kernel" if config.kernel_only_mode else "project"
        case = f"case {self.task.case_id}" if config.static_shape_mode else "any case"
        self.gen_codes_user_prompt = f"Write a {form} for {self.task.op_name}, {case}."
