"""Splits an arithmetic expression, an array of character codes, into numbers and operators.

Source: the scanner of Alfred V. Aho, Monica S. Lam, Ravi Sethi and Jeffrey D. Ullman, "Compilers: Principles,
Techniques, and Tools", section 2.6.
"""

SPACE, ZERO, NINE = ord(" "), ord("0"), ord("9")
OPERATORS = tuple(ord(sign) for sign in "+-*/()")
NUMBER = 256


def is_digit(code):
    """Whether the code is that of a digit."""
    return ZERO <= code <= NINE


def tokenize(text):
    """The kinds of the tokens, and their values: a number's, or 0 for an operator."""
    kinds, values = [], []
    i = 0
    while i < len(text):
        code = text[i]
        if code == SPACE:
            i += 1
        elif code in OPERATORS:
            kinds.append(code)
            values.append(0)
            i += 1
        elif is_digit(code):
            value = 0
            while i < len(text) and is_digit(text[i]):
                value = 10 * value + (text[i] - ZERO)
                i += 1
            kinds.append(NUMBER)
            values.append(value)
        else:
            raise ValueError(f"character {i} is neither a number nor an operator")
    return kinds, values
