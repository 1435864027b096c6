#!/usr/bin/env python3
"""The table of scripts/off_policy.sh, from its runs' metrics.jsonl and status.json.

    off_policy.py OUT
"""
import json
import pathlib
import sys


def mean(lines, name):
    values = [one[name] for one in lines if one.get(name) is not None]
    return sum(values) / len(values) if values else float("nan")


def main():
    out = pathlib.Path(sys.argv[1])
    print(f"{'staleness':>9}  {'correction':14} {'seed':>4} {'updates':>7}  {'correct, first and last 10':>26}  {'nats a token apart':>20}  {'corrected':>9}  "
          f"{'mean and largest staleness':>26}  end")
    for folder in sorted(out.glob("stale-*-*/"), key=lambda one: (int(one.name.split("-")[1]), one.name)):
        if not (folder / "metrics.jsonl").exists():
            continue
        _, staleness, *correction, seed = folder.name.split("-")
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        first, last = lines[:10], lines[-10:]
        apart = [[one for one in some if one["groups_without_signal"] < one["groups"]] for some in (first, last)]  # else nothing is compared
        status = json.loads((folder / "status.json").read_text())
        print(f"{staleness:>9}  {'-'.join(correction):14} {seed:>4} {len(lines):>7}  "
              f"{100 * mean(first, 'correct_rate'):>11.1f} %, {100 * mean(last, 'correct_rate'):>9.1f} %  "
              f"{mean(apart[0], 'log_prob_difference'):>9.4f}, {mean(apart[1], 'log_prob_difference'):>9.4f}  "
              f"{100 * mean(lines, 'corrected_fraction'):>7.2f} %  "
              f"{mean(lines, 'staleness'):>17.1f}, {max((one['staleness_max'] for one in lines), default=0):>7.0f}  "
              f"{status.get('stopped_because', status.get('state', ''))}")


if __name__ == "__main__":
    main()
