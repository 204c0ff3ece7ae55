"""An interpreter of a stack machine: the program is an array, so is the stack.

The instructions are a small part of CPython's. Source: Allison Kaptur, "A Python Interpreter Written in
Python", in "500 Lines or Less", The Architecture of Open Source Applications (2016).
"""

import numpy as np

PUSH, LOAD, STORE, ADD, SUBTRACT, MULTIPLY, LESS, JUMP, JUMP_IF_ZERO, RETURN = range(10)


def interpret(code, argument):
    """Runs the code, pairs of an instruction and its operand, with the argument in the first variable."""
    stack = np.zeros(16, dtype=np.int64)
    variables = np.zeros(8, dtype=np.int64)
    variables[0] = argument
    top, counter = 0, 0
    while True:
        instruction, operand = code[counter, 0], code[counter, 1]
        counter += 1
        if instruction == PUSH:
            stack[top] = operand
            top += 1
        elif instruction == LOAD:
            stack[top] = variables[operand]
            top += 1
        elif instruction == STORE:
            top -= 1
            variables[operand] = stack[top]
        elif instruction == JUMP:
            counter = operand
        elif instruction == JUMP_IF_ZERO:
            top -= 1
            if stack[top] == 0:
                counter = operand
        elif instruction == RETURN:
            return stack[top - 1]
        else:
            top -= 1
            left, right = stack[top - 1], stack[top]
            if instruction == ADD:
                stack[top - 1] = left + right
            elif instruction == SUBTRACT:
                stack[top - 1] = left - right
            elif instruction == MULTIPLY:
                stack[top - 1] = left * right
            elif instruction == LESS:
                stack[top - 1] = 1 if left < right else 0
            else:
                raise ValueError(f"unknown instruction {instruction}")
