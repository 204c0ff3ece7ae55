"""Functions with a `finally` that jumps: a file that pytest leaves as it is."""


def jumps_1(b, i2):
    try:
        assert b, "x"
    finally:
        for k in range(3):
            return i2


def jumps_2(b, i2):
    try:
        assert b, "x"
    finally:
        try:
            return i2
        finally:
            z = 1


def jumps_3(b, i2):
    try:
        assert b, "x"
    finally:
        if i2 == 3:
            return i2
    return 7


def jumps_4(b, i2):
    while True:
        try:
            assert b, "x"
        finally:
            try:
                break
            finally:
                z = 1
    return i2


def jumps_5(b, i2):
    while i2 > 0:
        i2 -= 1
        try:
            assert b, "x"
        finally:
            if i2 == 2:
                break
    return i2


def jumps_6(b, i2):
    try:
        assert b, "x"
    finally:
        with open("/dev/null") as q:
            return i2


def jumps_7(b, i2):
    try:
        assert b, "x"
    finally:
        while True:
            return i2


def jumps_8(b, i2):
    try:
        assert b, "x"
    finally:
        while i2 == 3:
            return i2
    return 9


def jumps_9(b, i2):
    try:
        assert b, "x"
    finally:
        match i2:
            case 3:
                return 5
            case _:
                return 6


def jumps_10(b, i2):
    try:
        assert b, "x"
    finally:
        try:
            10 // b
            return 5
        except ZeroDivisionError:
            return 6


def jumps_11(b, i2):
    try:
        assert b, "x"
    finally:
        for k in range(i2):
            return i2
    return 3


def jumps_12(i1, i2):
    d3 = {"a": i2, "b": i1}
    try:
        if i1 != 0:
            d3.pop("b")
    finally:
        for k5 in range(3):
            return i2


def jumps_13(i1, i2):
    d3 = {"a": i2, "b": i1}
    try:
        if i1 != 0:
            d3.pop("b")
    finally:
        for k5 in [1]:
            return i2


def jumps_14(i1, i2):
    d3 = {"a": i2, "b": i1}
    try:
        if i1 != 0:
            d3.pop("b")
    finally:
        while True:
            return i2


def jumps_15(i1, i2):
    d3 = {"a": i2, "b": i1}
    while True:
        try:
            if i1 != 0:
                d3.pop("b")
        finally:
            for k5 in range(3):
                break
            break
    return i2


def jumps_16(i1, i2):
    d3 = {"a": i2, "b": i1}
    try:
        for i2 in range(10):
            if i1 == 0:
                break
            d3.pop("b")
    finally:
        for k5 in range(3):
            return i2


def jumps_17(i1, i2):
    d3 = {"a": i2, "b": i1}
    try:
        for i2 in range(10):
            if i1 == 0:
                break
            if i2 == 1:
                raise KeyError
    finally:
        for k5 in range(3):
            return i2


def jumps_18(i1, i2):
    try:
        if i1 == 0:
            raise KeyError
        i2 = 5
    finally:
        for k5 in range(3):
            return i2
