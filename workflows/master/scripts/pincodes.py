#!/usr/bin/env python3
"""Writes `pincodes.csv` (pincode, district, state) from India Post's list.

Source: PyPI package `indian-pincode` 2.0.1 (licence MIT, author DevZoy; data snapshot 2025.10.03 of India Post).
Needs that one package, and only when the file is made again; the program reads the CSV alone:

    python3 -m venv /tmp/pincodes && /tmp/pincodes/bin/pip install indian-pincode==2.0.1
    /tmp/pincodes/bin/python workflows/master/scripts/pincodes.py

A pincode with several districts keeps the first of the source; one without state or district is left out.
"""
import csv
import json
import pathlib
from importlib import metadata, resources

OUT = pathlib.Path(__file__).resolve().parent.parent / "pincodes.csv"
VERSION = "2.0.1"
SMALL = {"And", "Of", "The"}
# spellings of the source that a customer would not expect
NAMES = {"Ahmadabad": "Ahmedabad", "Anugul": "Angul", "Leh Ladakh": "Leh", "South Andamans": "South Andaman", "Nicobars": "Nicobar",
         "Tuticorin": "Thoothukudi", "Visakhapatanam": "Visakhapatnam", "Kushi Nagar": "Kushinagar", "Rae Bareli": "Raebareli",
         "Udam Singh Nagar": "Udham Singh Nagar", "S.a.s Nagar": "SAS Nagar", "Ntr": "NTR", "Y.s.r.": "YSR Kadapa", "Spsr Nellore": "Nellore",
         "Dohad": "Dahod", "Charki Dadri": "Charkhi Dadri", "Kaimur (bhabua)": "Kaimur", "Maldah": "Malda", "Jangoan": "Jangaon"}


def title(text):
    words = [word.capitalize() for word in text.replace("-", " - ").split()]
    joined = " ".join(word.lower() if word in SMALL and at else word for at, word in enumerate(words))
    return joined.replace(" - ", "-").removeprefix("The ")


if __name__ == "__main__":
    assert metadata.version("indian-pincode") == VERSION
    with resources.files("indian_pincode").joinpath("data/core-data.json").open(encoding="utf-8") as file:
        data = json.load(file)
    rows, pin, left_out = [], 0, 0
    for delta, state, group in zip(data["pincodes"], data["stateIdx"], data["pairGroups"], strict=True):
        pin += delta
        if state == -1:
            continue
        pairs = group if isinstance(group, list) else [group]
        pairs = [pair for pair in pairs if data["districtPairs"][pair][1] == state] or pairs
        if not pairs:
            left_out += 1
            continue
        district = data["districts"][data["districtPairs"][pairs[0]][0]]
        district, name = title(district), title(data["states"][state])
        if name == "Delhi" and "Delhi" not in district and district != "Shahdara":
            district += " Delhi"
        rows.append([f"{pin:06d}", NAMES.get(district, district), name])
    with open(OUT, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["pincode", "district", "state"])
        out.writerows(rows)
    print(f"pincodes.csv: {len(rows)} rows, {OUT.stat().st_size} bytes, data {data['version']}, {left_out} left out")
