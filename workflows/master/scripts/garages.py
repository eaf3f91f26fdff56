#!/usr/bin/env python3
"""Writes `garages.yaml` and `garage_cities.yaml` of `workflows/motor/tables`: SAMPLE garages that repair without cash, a row for each large
city, with the ids of the insurers that have an agreement there. Pincodes are real, all else invented; the same seed gives the same garages.

    python3 workflows/master/scripts/garages.py
"""
import csv
import pathlib
import random
import re

MASTER = pathlib.Path(__file__).resolve().parent.parent
TABLES = MASTER.parent / "motor" / "tables"
SEED = 20261125

# city as registration offices have it, and its district as pincodes have it where that is another word
CITIES = """Ahmedabad; Bengaluru; Bhopal; Bhubaneswar Khordha; Chandigarh; Chennai; Coimbatore; Dehradun; Faridabad; Ghaziabad; Gurugram;
Guwahati Kamrup Metro; Hyderabad; Indore; Jaipur; Kanpur Kanpur Nagar; Kochi Ernakulam; Kolkata; Lucknow; Ludhiana; Mumbai; Mysuru; Nagpur;
Nashik; New Delhi Delhi; Noida Gautam Buddha Nagar; Patna; Pune; Raipur; Ranchi; Surat; Thane; Thiruvananthapuram; Vadodara; Visakhapatnam"""


def read(name):
    with open(MASTER / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    draw = random.Random(SEED)
    pincodes, cities = read("pincodes"), {c["cityName"]: c for c in read("cities")}
    insurers = re.findall(r"^  - \[(\d+),.* (\d+)\]$", (TABLES / "insurers.yaml").read_text(encoding="utf-8"), re.M)
    zones = {o["city"]: o["zone"] for o in read("rto")}
    rows, index = [], []
    entries = re.split(r";\s*", CITIES)
    names = [next(n for n in sorted(cities, key=len, reverse=True) if entry == n or entry.startswith(n + " ")) for entry in entries]
    for name, entry in zip(names, entries):
        city, district = cities[name], entry[len(name):].strip() or name
        here = sorted(p["pincode"] for p in pincodes if p["district"].startswith(district) or p["state"] == district == "Delhi")
        assert here, district
        popular = city["isPopular"] == "true"
        index.append(f"  - city: {name}\n    slug: {city['citySlug']}\n    state: {city['stateId']}\n    zone: {zones[name]}\n")
        index.append(f"    popular: {str(popular).lower()}\n    areas: [{', '.join(sorted({p[:3] for p in here}))}]\n")
        near = [n for n in names if n != name and cities[n]["stateId"] == city["stateId"]]
        index.append(f"    near: [{', '.join(near)}]\n")
        for category in ("car", "bike"):
            # how many an insurer has: a share of all of its own in the largest cities, a few elsewhere, and half as many for bikes
            counts = {int(i): 24 + int(all_of) // 100 if popular else 4 + int(city["cityId"]) % 9 for i, all_of in insurers}
            if category == "bike":
                counts = {i: (n + 1) // 2 for i, n in counts.items()}
            pool = range(max(counts.values()) + max(counts.values()) // 4)
            many = ", ".join(f'"{i}": {n}' for i, n in counts.items())
            index.append(f"    {category}: {{{many}}}\n")
            at = sorted(draw.choice(here) for _ in pool)
            rows.append(f"  - city: {name}\n    line: {category}\n    at: [{', '.join(at)}]\n    of:\n")
            rows.extend(f'      "{i}": {sorted(draw.sample(pool, n))}\n' for i, n in counts.items())
    head = """# Garages that repair without cash, written by workflows/master/scripts/garages.py: the pincodes are real, the rest is INVENTED.
# `at`: the pincode of each garage of a city, `of`: by id of an insurer, with which of them it has an agreement. Read row by row: it is long.
title: Garages that repair without cash
sample: true
match: {city: equals, line: equals}
columns: {city: text, line: text, at: json, of: json}
rows:
"""
    (TABLES / "garages.yaml").write_text(head + "".join(rows), encoding="utf-8")
    head = """# Cities with garages that repair without cash, written by workflows/master/scripts/garages.py: how many each insurer has, by its id.
# `zone` is that of the motor tariff; `areas`: what the city's pincodes begin with; `near`: others in its state.
title: Cities with garages that repair without cash
sample: true
match: {city: equals}
columns: {city: text, slug: {kind: text, unique: true}, state: text, zone: text, popular: bool, areas: list, near: list, car: json, bike: json}
rows:
"""
    (TABLES / "garage_cities.yaml").write_text(head + "".join(index), encoding="utf-8")


if __name__ == "__main__":
    main()
