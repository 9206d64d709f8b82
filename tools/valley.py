#!/usr/bin/env python3
"""Make the height map of scenes/valley.json: a valley with a lake behind a breached dam.

usage: valley.py OUT.png

256 x 128 points of 16-bit grey stand for 64 x 32 m, white for 12 m. Only sums, products and quotients are
used, so every machine makes the same heights.
"""
import struct
import sys
import zlib

COLUMNS, ROWS = 256, 128
LENGTH, WIDTH, RELIEF = 64.0, 32.0, 12.0  # m

# Knots (x, value) in metres, x from the middle: z of the stream, y of the valley floor, half its width.
COURSE = [(-32, 0), (-19, 1), (-10, -4), (1, 5), (11, -4), (21, 3), (32, 0)]
FLOOR = [(-32, 4.2), (-20, 4.0), (-10, 2.7), (0, 2.1), (12, 1.5), (22, 0.9), (32, 0.5)]
HALF = [(-32, 5.5), (-24, 6.5), (-18, 3.0), (-10, 3.5), (1, 5.5), (11, 3.5), (21, 5.0), (32, 6.0)]
DAM_X, DAM_TOP, DAM_SLOPE, DAM_HALF, BREACH = -19.0, 7.6, 1.6, 0.6, 1.5  # half widths of crest and breach


def clamp(x, low, high):
    return max(low, min(high, x))


def smooth(x):
    """From 0 at 0 to 1 at 1, level at both ends and beyond."""
    x = clamp(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def between(knots, x):
    for (x0, y0), (x1, y1) in zip(knots, knots[1:]):
        if x <= x1:
            return y0 + (y1 - y0) * smooth((x - x0) / (x1 - x0))
    return knots[-1][1]


def scatter(i, j):
    """A number in 0 .. 1 for every pair of whole ones."""
    n = (i * 374761393 + j * 668265263 + 1013904223) & 0xFFFFFFFF
    n = ((n ^ (n >> 15)) * 2246822519) & 0xFFFFFFFF
    n = ((n ^ (n >> 13)) * 3266489917) & 0xFFFFFFFF
    return ((n ^ (n >> 16)) & 0xFFFF) / 65535.0


def noise(x, z):
    """Smooth hills about one unit across, -1 .. 1."""
    i, j = int(x // 1), int(z // 1)
    a, b = smooth(x - i), smooth(z - j)
    south = (1.0 - a) * scatter(i, j) + a * scatter(i + 1, j)
    north = (1.0 - a) * scatter(i, j + 1) + a * scatter(i + 1, j + 1)
    return 2.0 * ((1.0 - b) * south + b * north) - 1.0


def height(x, z):
    across = abs(z - between(COURSE, x))
    away = max(0.0, across - between(HALF, x)) / 7.0
    flank = away * away / (away * away + 0.7)
    rough = noise(x / 7.0, z / 7.0)
    rough += 0.5 * noise(x / 3.1 + 9.0, z / 3.1) + 0.2 * noise(x / 1.3, z / 1.3 + 5.0)
    y = between(FLOOR, x) + 5.5 * flank + rough * (0.06 + 2.2 * flank)
    y -= 0.45 * (1.0 - smooth((across - 0.3) / 1.3))  # the stream's own bed
    dam = DAM_TOP - DAM_SLOPE * max(0.0, abs(x - DAM_X) - DAM_HALF)
    gap = BREACH + 0.35 * max(0.0, dam - between(FLOOR, x))  # its sides lean back
    return max(y, dam - 6.0 * max(0.0, gap - across))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows):
    """16-bit grey; each row is told by what it differs from the one above."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 16, 0, 0, 0, 0)
    above, data = bytes(2 * len(rows[0])), b""
    for row in rows:
        raw = struct.pack(f">{len(row)}H", *row)
        data += b"\2" + bytes((a - b) & 255 for a, b in zip(raw, above))
        above = raw
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    rows = []
    for j in reversed(range(ROWS)):  # the top of the picture is the north
        z = ((j + 0.5) / ROWS - 0.5) * WIDTH
        xs = [((i + 0.5) / COLUMNS - 0.5) * LENGTH for i in range(COLUMNS)]
        rows.append([int(clamp(height(x, z) / RELIEF, 0.0, 1.0) * 65535.0 + 0.5) for x in xs])
    with open(sys.argv[1], "wb") as out:
        out.write(png(rows))


if __name__ == "__main__":
    main()
