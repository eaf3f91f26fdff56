#!/usr/bin/env python3
"""Writes `workflows/motor/tables/office_areas.yaml`: of each city with a registration office whose district has the same name, how many
pincodes the district has, the first and the last. Read from `rto.csv` and `pincodes.csv`, nothing else."""
import csv
import pathlib

MASTER = pathlib.Path(__file__).resolve().parent.parent
OUT = MASTER.parent / "motor/tables/office_areas.yaml"
HEAD = """# Pincodes of the districts in which registration offices are, written by workflows/master/scripts/office_areas.py: cities whose district has
# another name are not here. `place` is city and state.
title: Pincodes around registration offices
source: India Post, snapshot 2025.10.03 (master data `pincodes`)
match: {place: equals}
columns: {place: {kind: text, unique: true}, pincodes: int, first: text, last: text}
rows:
"""


def read(name):
    with (MASTER / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    areas = {}
    for row in read("pincodes"):
        areas.setdefault((row["district"].lower(), row["state"].lower()), []).append(row["pincode"])
    places = {}
    for office in read("rto"):
        codes = areas.get((office["city"].lower(), office["state"].lower()))
        if codes and not office["now"]:
            places[f"{office['city']}, {office['state']}"] = sorted(codes)
    rows = [f'  - ["{place}", {len(codes)}, "{codes[0]}", "{codes[-1]}"]\n' for place, codes in sorted(places.items())]
    OUT.write_text(HEAD + "".join(rows), encoding="utf-8")
