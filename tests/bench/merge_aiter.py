"""AITER's merge of tuned tables (aiter/utility/base_tuner.py), for comparison in tests/bench/merge.

usage: merge_aiter.py OUTPUT KEY_COLUMNS A.csv [B.csv ...]     KEY_COLUMNS: "gfx,cu_num,M,N,K"

It reads all files, unites their columns (a new column goes before tflops) and fills absent cells with 0. Then it sorts
by us, keeps the fastest row of each key and writes the result.
"""
import sys

import pandas as pd


def united_columns(frames):
    columns = list(frames[0].columns)
    for frame in frames[1:]:
        for column in frame.columns:
            if column not in columns:
                place = columns.index("tflops") if "tflops" in columns else len(columns) - 1
                columns.insert(place, column)
    return columns


def main():
    output, key, paths = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    frames = [pd.read_csv(path) for path in paths]
    columns = united_columns(frames)
    frames = [frame.reindex(columns=columns, fill_value=0) for frame in frames if len(frame)]
    merged = pd.concat(frames, ignore_index=True)
    merged = merged.sort_values("us", kind="stable").drop_duplicates(subset=key, keep="first")
    merged.to_csv(output, index=False)


if __name__ == "__main__":
    main()
