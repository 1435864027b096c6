"""Reads formulas as they stand in descriptions of operators, in LaTeX or plain, and computes them with PyTorch in double.

Knows nothing of how kgtrain writes them: brackets, fractions, cases, sums and juxtaposed factors mean what they mean to a reader.
Reductions go along the last axis, or over everything, and keep their axes.
"""
import math
import re

import torch

FONTS = re.compile(r"\\(?:text|mathrm|operatorname)\{((?:[^{}]|\{[^{}]*\})*)\}")
TOKEN = re.compile(r"\s*(\\\\|\\[A-Za-z]+|\d+\.?\d*(?:e[-+]?\d+)?|[A-Za-z][A-Za-z0-9']*(?:_+[A-Za-z0-9']+|_\{[^{}]*\})*(?:_(?![{\w]))?'*|\*\*|<=|>=|==|!=|\S)")
GREEK = {"\\" + name for name in ("alpha", "beta", "gamma", "epsilon", "eta", "theta", "tau", "lambda", "pi", "sigma")}
SIGNS = {"\\le": "<=", "\\ge": ">=", "\\neq": "!=", "=": "==", "\\land": "and", "\\lor": "or", "&": "and", "|": "or"}
COMPARE = {"<": torch.lt, "<=": torch.le, ">": torch.gt, ">=": torch.ge, "==": torch.eq, "!=": torch.ne}


class NotUnderstood(Exception):
    pass


def tensor(value):
    return value if isinstance(value, torch.Tensor) else torch.tensor(float(value), dtype=torch.float64)


def canonical(name):
    """x_1, x1, {x1}_i: the same name, as far as a reader cares."""
    name = re.sub(r"_\{?i\}?$", "", name.replace("\\_", "_"))
    return re.sub(r"[\\_{}]", "", name)


def functions(over):
    x = torch.special
    one = {"exp": torch.exp, "ln": torch.log, "log": torch.log, "log2": torch.log2, "log10": torch.log10, "sqrt": torch.sqrt,
           "abs": torch.abs, "sin": torch.sin, "cos": torch.cos, "tanh": torch.tanh, "sinh": torch.sinh, "cosh": torch.cosh,
           "erf": x.erf, "erfc": x.erfc, "sign": torch.sign, "floor": torch.floor, "ceil": torch.ceil, "round": torch.round,
           "trunc": torch.trunc, "relu": torch.relu, "sigmoid": torch.sigmoid, "logit": torch.logit,
           "silu": torch.nn.functional.silu, "softplus": torch.nn.functional.softplus,
           "gelu_tanh": lambda v: torch.nn.functional.gelu(v, approximate="tanh"), "isnan": torch.isnan, "isinf": torch.isinf,
           "isfinite": torch.isfinite, "cast": lambda v: v, "half": lambda v: v, "float": lambda v: v, "bfloat16": lambda v: v,
           "softmax": lambda v: torch.softmax(v, -1), "log_softmax": lambda v: torch.log_softmax(v, -1)}
    one.update({name: one["silu"] for name in ("SiLU", "Swish", "swish")})
    one.update({name: torch.nn.functional.gelu for name in ("gelu", "Gelu", "GELU")})
    rows = {"sum": lambda v: over(torch.sum, v), "mean": lambda v: over(torch.mean, v), "max": lambda v: over(torch.amax, v),
            "min": lambda v: over(torch.amin, v),
            "var": lambda v: over(torch.mean, (v - over(torch.mean, v)) ** 2)}
    several = {"max": torch.maximum, "min": torch.minimum, "clip": lambda v, a, b: torch.minimum(torch.maximum(v, a), b),
               "where": lambda c, a, b: torch.where(c.bool(), a, b)}
    several["clamp"] = several["clip"]
    return one, rows, several


class Reader:
    def __init__(self, text, names, over, count):
        while FONTS.search(text):
            text = FONTS.sub(lambda match: match[1], text)
        text = text.replace("\\left", "").replace("\\right", "").replace("\\_", "_").replace("\\lvert", "|").replace("\\rvert", "|")
        self.tokens, self.at, self.bars = TOKEN.findall(text), 0, 0
        self.names, self.over, self.count = names, over, count
        self.one, self.rows, self.several = functions(over)

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted is not None and token != wanted:
            raise NotUnderstood(f"{wanted} is wanted, not '{token}', in {' '.join(self.tokens)}")
        self.at += 1
        return token

    def chosen(self):
        value = self.logic()
        if self.peek() != "?":
            return value
        self.take()
        yes = self.chosen()
        self.take(":")
        return torch.where(value.bool(), yes, self.chosen())

    def joins(self, wanted):
        sign = SIGNS.get(self.peek(), self.peek())
        ends = self.peek() == "|" and self.bars or self.peek() == "&" and self.peek(1) in ("if", "otherwise", "else")
        return sign == wanted and not ends

    def logic(self):
        value = self.both()
        while self.joins("or"):
            self.take()
            value = value.bool() | self.both().bool()
        return value

    def both(self):
        value = self.compared()
        while self.joins("and"):
            self.take()
            value = value.bool() & self.compared().bool()
        return value

    def compared(self):
        if self.peek() in ("\\neg", "not"):
            self.take()
            return ~self.power().bool()
        value = self.added()
        if self.peek() == "is":  # "x is finite"
            self.take()
            return self.one["is" + self.take()](value)
        sign = SIGNS.get(self.peek(), self.peek())
        if sign not in COMPARE:
            return value
        self.take()
        return COMPARE[sign](value, self.added())

    def added(self):
        minus = self.peek() == "-"
        if minus:
            self.take()
        value = self.multiplied()
        value = -value if minus else value
        while self.peek() in ("+", "-"):
            value = value + self.multiplied() if self.take() == "+" else value - self.multiplied()
        return value

    def begins(self):
        token = self.peek()
        if token in ("and", "or", "if", "is", "otherwise", "else", "not", "") or token in SIGNS:
            return token == "|" and not self.bars
        return token[0].isalnum() or token in ("(", "{", "\\frac", "\\sqrt", "\\bar", "\\sum", "\\lfloor", "\\lceil", "\\log", "\\infty", "\\begin") or \
            token in GREEK or token[1:] in self.one or token[1:] in self.rows

    def multiplied(self):
        value = self.power()
        while True:
            if self.peek() in ("*", "\\times", "\\cdot"):
                self.take()
                value = value * self.power()
            elif self.peek() == "/":
                self.take()
                value = value / self.power()
            elif self.begins():
                value = value * self.power()
            else:
                return value

    def exponent(self):
        if self.peek() == "{":
            return self.braced()
        if self.peek() == "(" or self.peek(1) == "(" and self.peek().isalpha():
            return self.atom()
        token = self.take()  # a single sign, as in x^2
        return tensor(token) if token.replace(".", "").isdigit() else self.value_of(token)

    def power(self):
        if self.peek() == "e" and self.peek(1) == "^" and "e" not in self.names:
            self.at += 2
            return torch.exp(self.exponent())
        value = self.atom()
        if self.peek() == "_":  # the index of an element
            self.take()
            if self.take() == "{":
                self.take(), self.take("}")
        while self.peek() in ("^", "**"):
            self.take()
            value = value ** self.exponent()
        return value

    def braced(self):
        self.take("{")
        value = self.chosen()
        if self.peek() == "\\over":
            self.take()
            value = value / self.chosen()
        self.take("}")
        return value

    def arguments(self, end=")"):
        self.take()
        values = [self.chosen()]
        while self.peek() == ",":
            self.take()
            values.append(self.chosen())
        self.take(end)
        return values

    def value_of(self, name):
        plain = canonical(name)
        if plain in self.names:
            return self.names[plain]
        if name in ("inf", "\\infty"):
            return tensor(math.inf)
        if plain == "pi":
            return tensor(math.pi)
        if name in ("N", "n", "D", "m", "H"):
            return tensor(self.count)
        raise NotUnderstood(f"what is {name}? There are {sorted(self.names)}")

    def called(self, name):
        lower = name if name in self.one else name[0].lower() + name[1:]
        end = {"(": ")", "[": "]"}[self.peek()]
        given = self.arguments(end)
        if name in ("E", "Var"):
            return self.rows["mean" if name == "E" else "var"](given[0])
        if len(given) == 1 and lower in self.rows:
            return self.rows[lower](given[0])
        table = self.one if len(given) == 1 else self.several
        if lower not in table:
            raise NotUnderstood(f"{name} of {len(given)}")
        return table[lower](*map(tensor, given))

    def cases(self):
        self.take("{"), self.take(), self.take("}")
        yes = self.chosen()
        self.take(","), self.take("&"), self.take("if")
        when = self.chosen()
        self.take("\\\\")
        no = self.chosen()
        self.take(","), self.take("&"), self.take()
        self.take("\\end"), self.take("{"), self.take(), self.take("}")
        return torch.where(when.bool(), yes, no)

    def atom(self):
        token = self.peek()
        if token == "(":
            return self.arguments()[0]
        if token == "{":
            return self.braced()
        if token == "|":
            self.take()
            self.bars += 1
            value = self.chosen()
            self.bars -= 1
            self.take("|")
            return torch.abs(value)
        self.take()
        if token[0].isdigit():
            return tensor(token)
        if token == "-" and self.peek() == "inf":
            return -self.power()
        if token == "\\frac":
            above = self.braced()
            return above / self.braced()
        if token == "\\sqrt":
            return torch.sqrt(self.braced())
        if token == "\\bar":
            return self.rows["mean"](self.braced())
        if token == "\\begin":
            return self.cases()
        if token in ("\\lfloor", "\\lceil"):
            value = self.chosen()
            self.take("\\rfloor" if token == "\\lfloor" else "\\rceil")
            return torch.floor(value) if token == "\\lfloor" else torch.ceil(value)
        if token == "\\sum" or token in ("\\max", "\\min") and self.peek() == "_":
            while self.peek() in ("_", "^"):  # limits: the index runs along the row
                self.take()
                if self.peek() == "{":
                    while self.take() != "}":
                        pass
                else:
                    self.take()
            return self.rows[token[1:]](self.power())
        if token == "\\log" and self.peek() == "_":
            self.take()
            base = self.exponent()
            return torch.log(self.arguments()[0]) / torch.log(base)
        name = token.removeprefix("\\")
        if token == "\\sigma" and self.peek() == "(":
            return torch.sigmoid(self.arguments()[0])
        is_function = token.startswith("\\") and token not in GREEK or name in self.one or name in self.several or \
            name in self.rows or name in ("E", "Var", "Sum", "Mean", "Max", "Min")
        if is_function and self.peek() in ("(", "[") and canonical(name) not in self.names or token in ("\\exp", "\\ln", "\\max", "\\min"):
            return self.called(name)
        return self.value_of(token)


def definitions(line):
    """The parts between the signs "=" that define: not those in brackets or cases, which compare."""
    depth, parts = 0, [""]
    for token in re.findall(r"\\begin\{cases\}|\\end\{cases\}|<=|>=|==|!=|.", line, re.DOTALL):
        depth += (token in ("(", "\\begin{cases}")) - (token in (")", "\\end{cases}"))
        if token == "=" and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def lines_of(text):
    """Assignments: (name, formula). `a = b = c`: the same twice."""
    lines = []
    for line in text.split("\n"):  # cases go over several lines, and may hold others
        is_open = lines and lines[-1].count("\\begin{cases}") > lines[-1].count("\\end{cases}")
        lines[-1:] = [lines[-1] + " " + line] if is_open else [*lines[-1:], line]
    for line in lines:
        line = re.sub(r"\s*(\\quad)?\s*\(i ?= ?0, ?1,.*\)$", "", line.strip())
        if not line or re.search(r"= \[", line):
            continue
        name, *formulas = definitions(re.sub(r"_\{(\w)=1\}", r"_{\1}", line))
        yield name.strip(), formulas
