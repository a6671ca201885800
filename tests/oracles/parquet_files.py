#!/usr/bin/env python3
"""Writes tests/golden/parquet/*.parquet with pyarrow: one small table in the ways that its writers have.

  parquet_files.py OUT

Five rows of audio (bytes and path), text and a numeric speaker; the third has no speaker.
"""
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 5


def table():
    audio = pa.array([{"bytes": f"sound {i} ".encode() * (i + 20), "path": f"clips/c{i}.flac"} for i in range(ROWS)],
                     pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
    return pa.table({"audio": audio,
                     "sentence": [f"text {i % 2}" for i in range(ROWS)],
                     "speaker_id": pa.array([7, 8, None, 7, 8], pa.int64())})


VARIANTS = {
    "none": dict(compression="none"),
    "none_plain": dict(compression="none", use_dictionary=False),
    "snappy": dict(compression="snappy"),
    "snappy_plain": dict(compression="snappy", use_dictionary=False),
    "zstd": dict(compression="zstd"),
    "gzip": dict(compression="gzip"),
    "lz4": dict(compression="lz4"),
    "v2": dict(compression="snappy", data_page_version="2.0"),
    "v2_none": dict(compression="none", data_page_version="2.0", use_dictionary=False),
    "delta": dict(compression="zstd", use_dictionary=False,
                  column_encoding={"audio.bytes": "DELTA_LENGTH_BYTE_ARRAY", "audio.path": "DELTA_LENGTH_BYTE_ARRAY",
                                   "sentence": "DELTA_LENGTH_BYTE_ARRAY", "speaker_id": "DELTA_BINARY_PACKED"}),
    "groups": dict(compression="snappy", row_group_size=2, write_page_index=True),
    "pages": dict(compression="snappy", use_dictionary=False, data_page_size=64, write_batch_size=1,
                  write_page_checksum=True),
    "refused_brotli": dict(compression="brotli"),
    "refused_delta_byte_array": dict(use_dictionary=False, column_encoding={"sentence": "DELTA_BYTE_ARRAY"}),
}


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for name, options in VARIANTS.items():
        pq.write_table(table(), out / f"{name}.parquet", **options)
    lists = pa.table({"audio": [[0.5, 0.25]], "sentence": ["text"]})
    pq.write_table(lists, out / "refused_list.parquet")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
