"""Arguments of scans that are refused."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import weft


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"rule": "all"}, ValueError, "rule must be"),
        ({"strand": "+"}, ValueError, "strand must be"),
        ({"strand": "both"}, weft.InputError, "needs alphabet dna"),
        ({"circular": True}, weft.InputError, "need alphabet dna"),
        ({"rule": "ends", "overlap": False}, ValueError, "only with rule"),
        ({"rule": "starts", "max_x": 1}, ValueError, "only with rule"),
        ({"engine": "fast"}, weft.InputError, "fast"),
        ({"device": "gpu:99"}, weft.UnavailableError, "gpu|GPU|CUDA"),
        ({"stream": 1}, ValueError, "stream"),
        ({"threads": -1}, ValueError, "threads"),
    ],
)
def test_options_are_checked(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        weft.scan(weft.Motifs("R-G-D"), "MARGD", **options)


def test_records_and_names_that_do_not_fit_are_refused(tmp_path: pathlib.Path) -> None:
    batch = weft.Sequences.from_list(["ARGD", "RGDRGD"], ["a", "b"])
    matches = weft.scan(weft.Motifs("R-G-D"), batch)
    for names in (["a"], ["a", "b", "c"]):
        batch.names = names
        with pytest.raises(ValueError, match="name"):
            matches.to_tsv()
    batch.names, batch.descriptions = [], ["only one"]
    with pytest.raises(ValueError, match="description"):
        matches.write(tmp_path / "matches.fa", format="fasta")
    batch.descriptions = []
    matches.records["strand"] = 2
    with pytest.raises(ValueError, match="records"):
        matches.to_tsv()
    matches.records["strand"] = 0
    with pytest.raises(FileNotFoundError):
        matches.write("")
    with pytest.raises(ValueError, match="zero bytes"):
        matches.write(str(tmp_path / "a\0b"))
    assert list(tmp_path.iterdir()) == []


def test_options_of_wrong_types() -> None:
    motifs = weft.Motifs("R-G-D")
    assert len(weft.scan(motifs, "ARGD", overlap=np.bool_(True))) == 1  # type: ignore[arg-type]
    for option in ({"rule": None}, {"strand": 1}, {"max_x": "1"}, {"max_x": 1 << 40}):
        with pytest.raises(TypeError, match=f"{next(iter(option))} must be"):
            weft.scan(motifs, "ARGD", **option)  # type: ignore[arg-type]
    for call in (weft.scan, weft.scan_count, lambda motifs, _: weft.Scanner(motifs)):
        with pytest.raises(TypeError, match="motifs must be a weft.Motifs, not str"):
            call("R-G-D", "ARGD")
    with pytest.raises(TypeError, match="alphabet must be a str"):
        weft.Motifs("R-G-D", alphabet=None)  # type: ignore[arg-type]
