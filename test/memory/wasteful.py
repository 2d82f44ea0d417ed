#!/usr/bin/env python3
"""Stands for a weft that takes 200 MiB for a moment, whatever its limit: the memory tests must see it."""

held = bytearray(b"x") * (200 << 20)
