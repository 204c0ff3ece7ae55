"""What a loop says of its counter, that it is not negative, is said of no number of a function that is called."""


def down(n, x):
    if n <= 0:
        return x
    rungs = [x - 9, x - 10, x - 11, x - 12, x - 13, x - 14, x - 15, x - 16]
    quotients = [rung // 7 for rung in rungs] + [rung % 1009 for rung in rungs]
    return down(n - 1, sum(quotients) % 97 - 50)


def f(a, b):
    total = 0
    for i in range(a % 40):
        if total > 100 and i % 7 == b:
            break
        total += i % 7 + i // 3
    return total, down(b % 5, -a)


ARGUMENTS = (37, 3)
OTHERS = (2, 1)
STAGED = (True, True)
