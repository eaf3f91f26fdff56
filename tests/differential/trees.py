"""Does PyYAML, by the core schema of YAML 1.2, read every definition as the product does?

usage: trees.py <program that prints the product's trees>

PyYAML reads by YAML 1.1, where `on` and `no` are truth values, 012 is ten and a date is no text. The loader below knows
what 1.2 knows: whoever reads definitions in Python takes it along.
"""

import json
import pathlib
import re
import subprocess
import sys

import yaml


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2, core schema."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("merge", r"<<", ["<"]),
]:
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), list(first))



def named(value):
    """A name is a text, also one that is written like a number."""
    if isinstance(value, dict):
        return {str(key): named(inner) for key, inner in value.items()}
    return [named(item) for item in value] if isinstance(value, list) else value


root = pathlib.Path(__file__).resolve().parents[2]
lines = subprocess.run([sys.argv[1], root], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
passed = failed = 0
for line in lines:
    one = json.loads(line)
    read = yaml.load((root / one["path"]).read_text(encoding="utf-8"), CoreLoader)
    if named(read) == one["tree"]:
        passed += 1
    else:
        failed += 1
        print("not read alike:", one["path"])
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or not passed)
