"""Evaluates the few forms of C++ expression in which test tables build texts: literals, +, std::string, calls, braces."""

import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^(\s]*)\((?P<inside>.*?)\)(?P=mark)")
  | (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<char>'(?:[^'\\]|\\.)*')
  | (?P<number>\d[\w.']*)
  | (?P<name>[A-Za-z_]\w*(?:::\w+)*)
  | (?P<sign><<|/\*|.)
""", re.VERBOSE | re.DOTALL)
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)", re.DOTALL)
PLAIN = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class Unknown(Exception):
    """An expression of a form that is not known here."""


def unescaped(literal):
    def one(match):
        code = match[1]
        if code[0] == "x":
            return chr(int(code[1:], 16) & 0xFF)
        return chr(int(code, 8)) if code.isdigit() else PLAIN.get(code, code)
    return ESCAPE.sub(one, literal)


def tokens_of(source):
    """(kind, value) pairs, without blanks and comments."""
    tokens = []
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if match["skip"] is not None:
            continue
        if match["raw"] is not None:
            tokens.append(("text", match["inside"]))
        elif match["text"] is not None:
            tokens.append(("text", unescaped(match["text"][1:-1])))
        elif match["char"] is not None:
            tokens.append(("text", unescaped(match["char"][1:-1])))
        elif match["number"] is not None:
            tokens.append(("number", match["number"]))
        else:
            tokens.append((kind, match[0]))
    return tokens


class Reader:
    """`names`: values and Python functions for the C++ names that may occur."""

    def __init__(self, tokens, names, at=0):
        self.tokens, self.names, self.at = tokens, names, at

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self, value=None):
        token = self.peek()
        if value is not None and token[1] != value:
            raise Unknown(f"{token[1]!r} in place of {value!r}")
        self.at += 1
        return token

    def expression(self):
        value = self.product()
        while self.peek() == ("sign", "+"):
            self.take()
            value = value + self.product()
        return value

    def product(self):
        value = self.primary()
        while self.peek() in (("sign", "*"), ("name", "ul"), ("sign", "<<")):
            sign = self.take()[1]
            other = self.primary()
            value = value << other if sign == "<<" else value * other
        return value

    def listed(self, close):
        values = []
        while self.peek()[1] != close or self.peek()[0] != "sign":
            values.append(self.expression())
            if self.peek() == ("sign", ","):
                self.take()
        self.take(close)
        return values

    def primary(self):
        kind, value = self.take()
        if kind == "text":
            while self.peek()[0] == "text":
                value += self.take()[1]
            return value
        if kind == "number":
            return int(re.sub(r"[uUlL']", "", value), 0)
        if (kind, value) == ("sign", "{"):
            return self.listed("}")
        if (kind, value) == ("sign", "("):
            value = self.expression()
            self.take(")")
            return value
        if kind != "name" or value not in self.names and "::" not in value:
            raise Unknown(value)
        known = self.names.get(value, value)  # an enumerator stays its name
        if self.peek() != ("sign", "("):
            return known
        self.take()
        return known(*self.listed(")"))


def constants(source):
    """Texts that a file declares: `constexpr const char* kName = "..."` and the like."""
    pattern = r'(?:const\s+char\*\s*(?:const\s+)?|const\s+std::string\s+)(\w+)\s*=\s*'
    found = {}
    for match in re.finditer(pattern, source):
        try:
            found[match[1]] = Reader(tokens_of(source[match.end():]), found).expression()
        except Unknown:
            pass
    return found


def rows(source, names, opening, skipped):
    """The values of each row that begins with `opening`, a name with "(" or "{", and a text. Into `skipped` goes the text
    of each row with an expression that is not known."""
    tokens, wanted = tokens_of(source), tokens_of(opening)
    close = {"(": ")", "{": "}"}[opening[-1]]
    for at in range(len(tokens) - len(wanted)):
        if tokens[at:at + len(wanted)] != wanted:
            continue
        after = tokens[at + len(wanted)]
        if after[0] != "text":  # a declaration, or an initialiser of another kind
            continue
        try:
            yield Reader(tokens, names, at + len(wanted)).listed(close)
        except (Unknown, TypeError, ValueError):
            skipped.append(after[1])
