"""The command that the scorer runs: one object a line in, one converted object a line out."""

import argparse
import sys
from pathlib import Path

from holdall.errors import HoldallError
from holdall.scheme.projects import load_schemes
from holdall.scheme.schemes import Schemes
from holdall.text import json


def main() -> None:
    """Answer every line with the object in the version asked for, or `{"$error": …}`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("project")
    parser.add_argument("--from", dest="source")
    parser.add_argument("--to")
    said = parser.parse_args()
    schemes = Schemes(load_schemes(Path(said.project)))
    schemes.load()
    for line in sys.stdin.buffer:
        try:
            answer = schemes.convert(json.decode_exactly(line.rstrip()), to=said.to)
        except HoldallError as error:
            answer = {"$error": str(error)}
        sys.stdout.buffer.write(json.encode(answer) + b"\n")


main()
