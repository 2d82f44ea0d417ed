#!/usr/bin/env python3
"""Takes 200 MiB for a moment, as a faulty weft would in spite of its limit; the memory tests must notice it."""

held = bytearray(b"x") * (200 << 20)
