#!/usr/bin/env python3
"""Writes `workflows/motor/tables/garages.yaml`: SAMPLE garages that repair without cash, a few in each large city, with the ids of
the insurers that have an agreement there. Pincodes are real, names and agreements invented; the same seed gives the same garages.

    python3 workflows/master/scripts/garages.py
"""
import csv
import pathlib
import random
import re

MASTER = pathlib.Path(__file__).resolve().parent.parent
TABLES = MASTER.parent / "motor" / "tables"
SEED, EACH = 20261125, 6

# city as registration offices have it, and its district as pincodes have it where that is another word
CITIES = """Ahmedabad; Bengaluru; Bhopal; Bhubaneswar Khordha; Chandigarh; Chennai; Coimbatore; Dehradun; Faridabad; Ghaziabad; Gurugram;
Guwahati Kamrup Metro; Hyderabad; Indore; Jaipur; Kanpur Kanpur Nagar; Kochi Ernakulam; Kolkata; Lucknow; Ludhiana; Mumbai; Mysuru; Nagpur;
Nashik; New Delhi; Noida Gautam Buddha Nagar; Patna; Pune; Raipur; Ranchi; Surat; Thane; Thiruvananthapuram; Vadodara; Visakhapatnam"""
HOUSES = "Balaji Ganesh Krishna Lakshmi National New Royal Sai Shakti Star Sunrise Metro City Classic Everest Om Prime Regal Perfect Anand".split()
KINDS = ["Motors", "Auto Works", "Car Care", "Automobiles", "Garage", "Body Shop", "Service Centre"]
BIKES = ["Two Wheelers", "Bike Point", "Scooter Clinic"]


def main():
    draw = random.Random(SEED)
    with open(MASTER / "pincodes.csv", encoding="utf-8") as file:
        pincodes = list(csv.DictReader(file))
    insurers = re.findall(r"^  - \[(\d+),", (TABLES / "insurers.yaml").read_text(encoding="utf-8"), re.M)
    with open(MASTER / "rto.csv", encoding="utf-8") as file:
        offices = {row["city"] for row in csv.DictReader(file)}
    rows = []
    for entry in re.split(r";\s*", CITIES):
        city = next(name for name in sorted(offices, key=len, reverse=True) if entry == name or entry.startswith(name + " "))
        district = entry[len(city):].strip() or city
        here = [row["pincode"] for row in pincodes if row["district"].startswith(district)]
        assert here, district
        houses = draw.sample(HOUSES, EACH)
        for at, (house, pincode) in enumerate(zip(houses, sorted(draw.sample(here, min(EACH, len(here))) + draw.choices(here, k=max(0, EACH - len(here)))))):
            is_bike = at in (1, 4)
            kind = draw.choice(BIKES if is_bike else KINDS)
            agreed = sorted(int(one) for one in draw.sample(insurers, draw.randint(8, 16)))
            rows.append(f"  - [{house} {kind}, {city}, \"{pincode}\", {str(not is_bike).lower()}, {str(is_bike or at == 0).lower()}, {agreed}]")
    head = """# Garages that repair without cash, written by workflows/master/scripts/garages.py: the pincodes are real, the rest is INVENTED.
title: Garages that repair without cash
sample: true
match: {pincode: equals, name: equals}
columns: {name: text, city: text, pincode: text, car: bool, bike: bool, insurers: list}
rows:
"""
    (TABLES / "garages.yaml").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
