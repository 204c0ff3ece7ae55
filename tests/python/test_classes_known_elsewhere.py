"""Classes that derive from a class or are registered with it while graphs of it exist."""

import abc

import pytest

import graphwright as gw


def classes():
    class Shape(abc.ABC):
        pass

    class Square:
        pass

    return Shape, Square, Square()


def helper(one, kinds, x):
    return x * 3 if isinstance(one, kinds) else x


@pytest.mark.parametrize("way", ["object", "class", "tuple", "helper", "match"])
def test_a_class_is_registered(way):
    Shape, Square, square = classes()

    @gw.function
    def f(x):
        if way == "object":
            return x * 3 if isinstance(square, Shape) else x
        if way == "class":
            return x * 3 if issubclass(Square, Shape) else x
        if way == "tuple":
            return x * 3 if isinstance(square, (int, Shape)) else x
        if way == "helper":
            return helper(square, (int, Shape), x)
        match square:
            case Shape():
                return x * 3
        return x

    one = gw.constant(1)
    assert [f(one).item(), f(one).item()] == [1, 1]
    assert f.experimental_get_tracing_count() == 1
    Shape.register(Square)
    assert f(one).item() == 3


def test_another_class_derives():
    class Base:
        pass

    class First(Base):
        weight = 1

    @gw.function
    def f(x):
        for kind in Base.__subclasses__():
            x = x * 10 + kind.weight
        return x

    one = gw.constant(1)
    assert [f(one).item(), f(one).item(), f.experimental_get_tracing_count()] == [11, 11, 1]

    class Second(Base):
        weight = 2

    assert f(one).item() == 112
