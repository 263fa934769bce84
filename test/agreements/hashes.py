"""Agreement hashes by a program that shares nothing with ours: RFC 8785 and SHA-256 over all terms but status and signatures."""

import hashlib
import json
import sys
from decimal import Decimal


def number(value):
    if isinstance(value, int):
        value = float(value)
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent
    if 0 < point <= 21:
        body = text.ljust(point, "0") if len(text) <= point else f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        body = "0." + "0" * -point + text
    else:
        body = text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1:+d}"
    return "-" * sign + body


def canonical(value):
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


for each in json.load(sys.stdin):
    terms = {key: value for key, value in each["document"].items() if key not in ("status", "signatures")}
    print("0x" + hashlib.sha256(canonical(terms).encode()).hexdigest())
