"""The types of the records that the extension module returns, byte for byte those of the C++ structures."""

from __future__ import annotations

import numpy as np

RUN = np.dtype({"names": ["op", "length"], "formats": ["S1", "<u8"], "offsets": [0, 8], "itemsize": 16})
OPCODE = np.dtype(
    {
        "names": ["op", "a_begin", "a_end", "b_begin", "b_end"],
        "formats": ["S1", "<u8", "<u8", "<u8", "<u8"],
        "offsets": [0, 8, 16, 24, 32],
        "itemsize": 40,
    }
)
MATCH = np.dtype(
    {
        "names": ["sequence", "motif", "begin", "end", "strand"],
        "formats": ["<u4", "<u4", "<u8", "<u8", "u1"],
        "offsets": [0, 4, 8, 16, 24],
        "itemsize": 32,
    }
)
