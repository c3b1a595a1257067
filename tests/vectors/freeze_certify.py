"""Freezes the certified-splitting oracle into the compact vectors that the suite replays.

    python tests/vectors/freeze_certify.py ORACLE_JSON

The oracle holds facts about small token sets that were found by exhaustive search and by an
independent automaton; see the provenance written into each file. The same oracle always gives the
same bytes.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def windows(alphabet: str, width: int) -> list[str]:
    """All windows of width `1..width` over the alphabet, in the order of the frozen strings."""
    return [
        "".join(letters)
        for length in range(1, width + 1)
        for letters in itertools.product(alphabet, repeat=length)
    ]


def packed_origins(record: dict, width: int) -> str:
    """One field for each window: its realised origins, `-` for "before"."""
    fields = (record["realised"][window] for window in windows(record["alphabet"], width))
    return ",".join("".join("-" if o < 0 else str(o) for o in origins) for origins in fields)


def token_set(record: dict, width: int) -> list:
    spans = [record["span"][str(h)] for h in range(1, width + 1)]
    return [
        record["alphabet"],
        record["tokens"],
        packed_origins(record, width),
        record["shortest_certified_width"],
        [span["value"] if span["bounded"] else -1 for span in spans],
        {
            symbol: [facts["before"], facts["after"]]
            for symbol, facts in sorted(record["delimiters"].items())
        },
        [[v["window"], v["origin"], v["shortest"]] for v in record["violations"]],
    ]


def fields(record: dict, names: str) -> list:
    return [record[name] for name in names.split()]


PARTS = {
    "literal": "alphabet tokens realised shortest_certified_width span delimiters violations",
    "regular": "alphabet tokens realised shortest_certified_width span delimiters violations",
    "differential": "kind alphabet left right boundary_differs boundary_shortest domain_differs "
    "domain_shortest",
    "scans": "kind alphabet tokens text starts",
    "edits": "alphabet tokens text at symbol moved left right hull hull_slack unoccupied",
}


def main(path: str) -> None:
    data = Path(path).read_bytes()
    oracle = json.loads(data)
    width = oracle["width"]
    for part, names in PARTS.items():
        if part in {"literal", "regular"}:
            rows = [token_set(record, width) for record in oracle[part]]
        else:
            rows = [fields(record, names) for record in oracle[part]]
        header = {
            "provenance": {
                "source": "oracle of certified splitting: exhaustive search, independent automaton",
                "format": oracle["format"],
                "seed": oracle["seed"],
                "sha256": hashlib.sha256(data).hexdigest(),
                "script": "tests/vectors/freeze_certify.py",
            },
            "width": width,
            "fields": names.split(),
        }
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        text = json.dumps(header, indent=1)[:-2] + ',\n "records": [\n' + lines + "\n]}\n"
        json.loads(text)
        (HERE / f"certify_{part}.json").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
