"""The tour's report: headline figures, then a section a flow."""

from __future__ import annotations

from typing import Any

from maxmunch.report import Chart, Page, Section, Table
from maxmunch.report.charts import bars, histogram, lines

__all__ = ["tour_page"]

LONGEST_SHOWN = 24


def tour_page(outcome: dict[str, Any]) -> Page:
    """Return the page that tells what the tour found."""
    corpus, versions = outcome["corpus"], outcome["versions"]
    size = corpus["training"]["bytes"] + corpus["held_out"]["bytes"]
    certify = outcome["certify"]
    per_kib = certify["supply"]["per_kib"]
    return Page(
        title="A tour of maxmunch",
        subtitle=(
            f"All three flows on {size / 1e6:.1f} MB of this machine's own Python sources, "
            f"in {outcome['seconds']['total']:.0f} seconds."
        ),
        figures=[
            (
                f"{outcome['evaluation']['results']['maxmunch']['fewer_percent']:.2f} %",
                "fewer tokens than BPE of equal size",
            ),
            (f"{outcome['encoding']['mb_s']:.0f} MB/s", f"encoded on {outcome['threads']} threads"),
            (f"{per_kib[max(per_kib)]:.0f}", "certified anchors per KiB"),
            (
                f"{sum(outcome['checks'].values())} of {len(outcome['checks'])}",
                "checks held on this run",
            ),
        ],
        sections=[
            _corpus(outcome),
            _tokens(outcome),
            _encoding(outcome),
            _certified(certify),
            _supply(certify["supply"]),
            _parallel(outcome["parallel"], outcome["threads"]),
            _seconds(outcome["seconds"]),
        ],
        footer=(
            f"maxmunch {versions['maxmunch']}, Python {versions['python']}, "
            f"{versions['platform']}. "
            "Times are of this run on this machine. The figures behind this page: report.json."
        ),
    )


def _corpus(outcome: dict[str, Any]) -> Section:
    corpus, counts = outcome["corpus"], outcome["counts"]
    rows = [
        [name.replace("_", "-"), corpus[name]["files"], corpus[name]["bytes"]]
        for name in ("training", "held_out")
    ]
    return Section(
        "The text",
        [
            "Sources of the Python that ran this, standard library first, each different file "
            "once; one file in five is held out and seen only in the comparison.",
            f"The training files hold {counts['total']:,} pretokens, {counts['distinct']:,} of "
            "them distinct.",
        ],
        [Table(["part", "files", "bytes"], rows)],
    )


def _tokens(outcome: dict[str, Any]) -> Section:
    evaluation = outcome["evaluation"]
    rows = [
        [
            name,
            row["tokens"],
            row["bytes_per_token"],
            row["single_byte_share"],
            row["unused"],
        ]
        for name, row in evaluation["results"].items()
    ]
    tokens = {name: row["tokens"] for name, row in evaluation["results"].items()}
    ours = evaluation["results"]["maxmunch"]
    lengths_of = {"maxmunch": outcome["token_lengths"], "BPE": evaluation["bpe_token_lengths"]}
    lengths = list(range(1, LONGEST_SHOWN + 1))
    return Section(
        "Fewer tokens at the same size",
        [
            f"{outcome['training']['vocab_size']:,} tokens, chosen by exact search for "
            "greedy longest match, against byte-pair encoding of the same size trained on the "
            "same files.",
            f"On held-out files: {ours['fewer_percent']:.2f} % fewer tokens (95 % interval over "
            f"resampled files: {ours['fewer_low']:.2f} to {ours['fewer_high']:.2f} %).",
        ],
        [
            Chart(
                bars(tokens, unit="tokens on the held-out files", highlight="maxmunch"),
                "Tokens on the held-out files; fewer is better.",
            ),
            Table(
                ["vocabulary", "tokens", "bytes per token", "single bytes", "unused tokens"],
                rows,
                "Single bytes: share of the emitted tokens that are one byte long.",
            ),
            Chart(
                lines(
                    {name: [of.get(n, 0) for n in lengths] for name, of in lengths_of.items()},
                    x=lengths,
                    x_unit="bytes of a token",
                    y_unit="tokens in the vocabulary",
                ),
                f"How long the tokens are, up to {LONGEST_SHOWN} bytes.",
            ),
        ],
    )


def _encoding(outcome: dict[str, Any]) -> Section:
    encoding = outcome["encoding"]
    return Section(
        "Encoded, and decoded back",
        [
            f"{encoding['bytes']:,} bytes became {encoding['ids']:,} ids at "
            f"{encoding['mb_s']:.0f} MB/s on {outcome['threads']} threads.",
            "Every file was decoded again and compared byte for byte.",
        ],
    )


def _certified(certify: dict[str, Any]) -> Section:
    rows = [
        [int(width), counts["certified"], 256 ** int(width)]
        for width, counts in certify["widths"].items()
    ]
    newline, span = certify["newline"], certify["span"]
    sentences = [
        "A window is certified when, wherever it occurs in any text, the token that covers its "
        "last byte starts at one fixed place. There the text may be cut, whatever stands around.",
        f"All windows up to width {max(row[0] for row in rows)} were decided in "
        f"{certify['inventory_seconds']:.2f} seconds.",
    ]
    if newline["before"] or newline["after"]:
        side = "before" if newline["before"] else "after"
        sentences.append(f"Cutting {side} every newline is safe.")
    else:
        sentences.append(
            f"Newline is no safe delimiter: {newline['refutation_before']} is a token, so a cut "
            f"before its newline changes it; {newline['refutation_after']} refutes a cut after."
        )
    sentences.append(span["sentence"][0].upper() + span["sentence"][1:] + ".")
    return Section("Certified windows", sentences, [Table(["width", "certified", "windows"], rows)])


def _supply(supply: dict[str, Any]) -> Section:
    by_width = {f"up to {w} byte{'s' if w > 1 else ''}": v for w, v in supply["per_kib"].items()}
    by_width["all boundaries"] = supply["boundaries_per_kib"]
    return Section(
        "Where this text can be cut",
        [
            f"On {supply['bytes']:,} bytes of held-out text; the widest gap between anchors is "
            f"{supply['widest_gap']:,} bytes."
        ],
        [
            Chart(
                bars(by_width, unit="anchors per KiB"),
                "Anchors by the widest window that is looked at, beside all token boundaries.",
            ),
            Chart(
                histogram(
                    supply["per_block"], unit="anchors in a block of 1,024 bytes", count_of="blocks"
                ),
                "Anchors in each block, all widths.",
            ),
        ],
    )


def _parallel(parallel: dict[str, Any], threads: int) -> Section:
    speedup = parallel["sequential_seconds"] / parallel["parallel_seconds"]
    rows = [
        [cut, distance]
        for cut, distance in zip(parallel["cuts"], parallel["snap_distances"], strict=True)
    ]
    return Section(
        "One text, all cores",
        [
            f"The corpus as one text of {parallel['bytes']:,} bytes, cut at certified anchors and "
            f"scanned on {threads} threads, {speedup:.2f} times as fast as on one.",
            f"The starts of all {parallel['tokens']:,} tokens equal those of the sequential scan.",
        ],
        [Table(["cut at byte", "bytes past the target"], rows)],
    )


def _seconds(seconds: dict[str, float]) -> Section:
    rows = [[name, round(value, 1)] for name, value in seconds.items()]
    return Section("Time", [], [Table(["step", "seconds"], rows)])
