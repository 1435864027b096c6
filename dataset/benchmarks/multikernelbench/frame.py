"""A reference module without its computation: the class that draws the same weights, for operators that are called instead
of its forward."""

import ast

NOT_KEPT = {"get_inputs", "get_init_inputs", "get_input_groups"}


def cut_out(text):
    """Python that defines ModelNew with the constructor of Model."""
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if getattr(node, "name", "") not in NOT_KEPT]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Model":
            node.name = "ModelNew"
            node.body = [one for one in node.body if getattr(one, "name", "__init__") == "__init__"]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "Model":
            node.id = "ModelNew"
    return ast.unparse(ast.fix_missing_locations(_WithoutWords().visit(tree))) + "\n"


class _WithoutWords(ast.NodeTransformer):
    def _strip(self, node):
        self.generic_visit(node)
        if ast.get_docstring(node, clean=False) is not None and len(node.body) > 1:
            node.body = node.body[1:]
        return node

    visit_ClassDef = visit_FunctionDef = visit_Module = _strip
