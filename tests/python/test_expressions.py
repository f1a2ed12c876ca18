"""Arithmetic with units: values of derived settings and conditions, and mistakes."""

from __future__ import annotations

import pytest

from penstock.studies.expression import parse
from penstock.studies.quantity import ExpressionError, Quantity, read_quantity, setting_text


@pytest.mark.parametrize(
    ("text", "comes_to"),
    [
        ("1 + 2 * 3 ^ 2", "19"),
        ("-2 ^ 2", "-4"),
        ("2 ^ -1", "0.5"),
        ("(1 + 2) * 3", "9"),
        ("10 / 4 / 5", "0.5"),
        ("7 - 2 - 1", "4"),
        ("0.1 + 0.2", "0.3"),
        ("sqrt(1 / 4)", "0.5"),
        ("min(3, 2 + 0, 5)", "2"),
        ("max(1 ms, 20 us)", "1 ms"),
        ("round(2.5) + floor(2.9) + ceil(2.1) + abs(-1)", "9"),
        ("2 Mbit/s * 4 ms", "1000 bytes"),
        ("64 KiB / (2 s)", "262.144 kbit/s"),
        ("1500 bytes / 12 Mbit/s", "1 ms"),
        ("ceil(2 Mbit/s * 100 ms / (1500 bytes/packet))", "17 packets"),
        ("5 % * 2 s", "100 ms"),
        ("2 min", "120 s"),
        ("1 s / 3", "333.333333333 ms"),
        ("1e-3 s", "1 ms"),
    ],
)
def test_arithmetic_has_units(text, comes_to):
    assert setting_text(parse(text).evaluate_number({}.__getitem__)) == comes_to


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 ms + 2", "2 cannot be added to 0.001 s"),
        ("1 Mbit/s - 1 bytes", "8 bit cannot be taken from 1e+06 bit/s"),
        ("max(1 s, 1)", "1 cannot be compared with 1 s"),
        ("1 / (2 - 2)", "division by zero"),
        ("0 ^ -1", "division by zero"),
        ("sqrt(1 s)", "its unit is no square"),
        ("sqrt(-1)", "there is no square root of -1"),
        ("2 ^ 0.5", "an exponent is a whole number from -16 to 16"),
        ("2 ^ (1 s)", "an exponent is a whole number"),
        ("9999999999 ^ 16 ^ 16", "an exponent is a whole number"),
        ("((9999999999 ^ 16) ^ 16) ^ 16", "the number is too large"),
        ("round(1.5 ms)", "round() takes a number or packets"),
        ("1 < 2", "true is not a number"),
        ("'a' + 1", "'a' is not a number"),
        ("not 1", "the number 1 is not a condition"),
    ],
)
def test_values_that_do_not_go_together(text, said):
    with pytest.raises(ExpressionError) as error:
        parse(text).evaluate_number({}.__getitem__)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "ends where a value is expected"),
        ("1 +", "ends where a value is expected"),
        ("(1", "a ')' is missing"),
        ("1 )", "')' (character 3) is not expected there"),
        ("1 parsec", "unknown unit 'parsec'; units are %, B, bit"),
        ("3 Mbits/s", "unknown unit 'Mbits"),
        ("exec(1)", "there is no function 'exec'; there are sqrt, min, max, abs, round, floor, ceil"),
        ("sqrt(1, 2)", "sqrt() takes one value, not 2"),
        ("a @ b", "'@ b' (character 3) cannot be read"),
        ("__import__('os').system('x')", "cannot be read"),
        ("(" * 60 + "1" + ")" * 60, "is nested deeper than 50 levels"),
        ("-" * 60 + "1", "is nested deeper than 50 levels"),
        ("1" * 1001, "is longer than 1000 characters"),
        ("1e999", "'1e999' is no number that fits"),
        ("* 2", "'*' (character 1) is where a value is expected"),
    ],
)
def test_what_is_no_expression(text, said):
    with pytest.raises(ExpressionError) as error:
        parse(text)
    assert said in str(error.value)


def test_conditions():
    known = {"kind": "red", "n": read_quantity("3"), "on": True}.__getitem__
    assert parse("n >= 3 and (kind == 'red' or n > 1 / 0)").evaluate(known) is True
    assert parse("not on or kind != 'red'").evaluate(known) is False
    for text, said in (("kind < 'x'", "have no order"), ("kind == 3", "'red' cannot be compared with the number 3")):
        with pytest.raises(ExpressionError, match=said):
            parse(text).evaluate(known)


def test_names_may_be_paths_and_a_minus_has_blanks():
    assert list(parse("r1-r2.queue.red.limit - goodput[near[0], max] * x_1 / größe.count").names()) == [
        "r1-r2.queue.red.limit",
        "goodput[near[0], max]",
        "x_1",
        "größe.count",
    ]


@pytest.mark.parametrize("quantity", ["2 s * 2 s", "1 / 1 s", "1 bit * 1 s", "1 calls"])
def test_a_unit_too_many(quantity):
    with pytest.raises(ExpressionError, match="has a unit that no setting has"):
        setting_text(parse(quantity).evaluate_number({}.__getitem__))


def test_parts_of_a_packet_are_not_rounded_behind_the_users_back():
    with pytest.raises(ExpressionError, match="are no whole packets; round"):
        setting_text(Quantity(read_quantity("1").value / 3, (("packet", 1),)))
