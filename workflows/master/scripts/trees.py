#!/usr/bin/env python3
"""Writes the addresses of trees over reference data: ids alone, what they stand for is looked up."""
import csv
import pathlib

ROOT = pathlib.Path(__file__).parents[2]
BASES = {"fw": "car-insurance", "tw": "bike-insurance"}


def read(name):
    with open(ROOT / f"master/{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


variants, price = {}, {}
for v in read("variants"):
    variants.setdefault(v["model_id"], []).append(v["version_id"])
    cost = int(v["price"].removeprefix("₹"))
    price[v["model_id"]] = min(price.get(v["model_id"], cost), cost)

def address(m):
    brand = m["make_id"].removesuffix("-bikes")
    return f"{BASES[m['vehicle']]}/{brand}/{m['model_id'].removeprefix(m['make_id'] + '-')}"


models = [m for m in read("models") if m["vehicle"] in BASES]
lines = []
for m in models:
    base, brand = BASES[m["vehicle"]], m["make_id"].removesuffix("-bikes")
    of = ", ".join(variants[m["model_id"]])
    others = [o for o in models if o["vehicle"] == m["vehicle"] and o is not m]
    near = sorted(others, key=lambda o: abs(price[o["model_id"]] - price[m["model_id"]]))[:3]
    near = ", ".join(address(o) for o in near)
    lines.append(f"  - [{address(m)}, {base}/{brand}, {base}, {m['vehicle']}, {m['model_id']}, [{of}], [{near}]]")

HEAD = """\
# Addresses of makes and models, written by workflows/master/scripts/trees.py.
title: Pages of models
source: the reference data `models` and `variants`
match: {address: equals}
columns: {address: {kind: text, unique: true}, under: text, base: text, vehicle: text, key: {kind: text, refers: models},
  variants: {kind: list, refers: variants}, near: list}
rows:
"""
(ROOT / "site/tables/vehicle_models.yaml").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
