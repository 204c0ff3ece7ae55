"""Objects in lists that programs of these tests change."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import graphwright as gw
from plain_results import value


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt):
        self.x += self.v * dt
        if self.x > 3:
            self.x = 3.0
            self.v = -self.v

    def swap(self, other):
        self.x, other.x = other.x, self.x


class Vec:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def add(self, o):
        return Vec(self.a + o.a, self.b + o.b)


class Body:
    def __init__(self, i):
        self.pos = Vec(i * 1.0, i * 0.5)
        self.vel = Vec(0.5, 0.25)

    def move(self):
        self.pos = self.pos.add(self.vel)

    def kick(self):
        self.vel.a += 1.0


@dataclass
class Account:
    balance: float
    n: int = 0

    def deposit(self, x):
        self.balance += x
        self.n += 1

    def withdraw(self, x):
        if x > self.balance:
            raise ValueError("no money")
        self.balance -= x


class World:
    def __init__(self, n):
        self.ps = make(n)
        self.t = 0.0

    def step(self, dt):
        for p in self.ps:
            p.step(dt)
        self.t += dt


class Grid:
    def __init__(self, n):
        self.cells = [Account(i * 1.0) for i in range(6)]
        self.best = 0.0

    def put(self, i, x):
        c = self.cells[i]
        c.balance = c.balance + x
        if c.balance > self.best:
            self.best = c.balance
            c.n += 1


def make(n):
    ps = []
    for i in range(n):
        ps.append(Particle(i * 1.0, i * 2.0 + 1))
    return ps


def bodies(n):
    bs = []
    for i in range(n):
        bs.append(Body(i))
    return bs


def accounts(n):
    out = []
    for i in range(n):
        out.append(Account(i * 10.0))
    return out


def helper(p, amount):
    p.x += amount
    return p.x


CASES = [(4, 2), (5, 3), (5, 0), (1, 0)]
"""Lengths of lists, and indices of them."""


def flat(result):
    """The numbers in a result, and the lengths of its lists"""
    if isinstance(result, list | tuple):
        return [len(result), *(number for part in result for number in flat(part))]
    return [float(result)]


def check(function, n, k):
    """The graph of a function gives what the function gives, at its first call and at the next one"""
    staged, wanted = gw.function(function), flat(function(n, k))
    for _ in range(2):
        assert flat(value(staged(gw.constant(n), gw.constant(k)))) == pytest.approx(wanted, rel=1e-5)
