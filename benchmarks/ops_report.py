"""Tables of the rows over all ops."""

import json
import statistics


def best(sides, row, rounds):
    """`{side: {op: seconds}}`, the best of the interleaved rounds."""
    times = {name: {} for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            answer = side.measure(row)
            if isinstance(answer, str):
                raise SystemExit(f"{name}: {answer}")
            for op, seconds in answer.items():
                times[name][op] = min(seconds, times[name].get(op, seconds))
    return times


def micro(seconds):
    return "-" if seconds is None else f"{seconds * 1e6:.2f}"


def dispatch(sides, row, rounds, worst):
    """Our call minus the native one, and against Keras."""
    times = best(sides, row, rounds)
    ours, native, oracle = times["ours"], times["native"], times.get("oracle", {})
    over = {op: ours[op] - native[op] for op in ours if op in native}
    print(f"\n`{row}`: {len(ours)} ops, {len(over)} with a native counterpart\n")
    print(f"- ours - native, us: {quantiles(over.values(), 1e6)}")
    if oracle:
        speedup = [oracle[op] / ours[op] for op in ours if op in oracle]
        print(f"- Keras / ours: {quantiles(speedup, 1)}, {sum(s < 1 for s in speedup)} ops below 1")
        missing = sorted(oracle.keys() - ours.keys())
        if missing:
            print(f"- not timed on our side: {', '.join(missing)}")
    table("ours - native, the largest", sorted(over, key=over.get)[: -worst - 1 : -1], times)
    if oracle:
        others = {op: ours[op] / oracle[op] for op in ours if op in oracle}
        table("ours / Keras, the largest", sorted(others, key=others.get)[: -worst - 1 : -1], times)
    return times


def quantiles(values, scale):
    values = sorted(v * scale for v in values)
    if not values:
        return "none"
    at = [values[min(int(q * len(values)), len(values) - 1)] for q in (0.1, 0.9)]
    return f"median {statistics.median(values):.2f} (tenth {at[0]:.2f}, nine tenths {at[1]:.2f})"


def table(title, ops, times):
    print(f"\n{title}:\n\n| op, us | native | ours | Keras 3.15.1 |\n|---|---|---|---|")
    for op in ops:
        cells = [micro(times.get(side, {}).get(op)) for side in ("native", "ours", "oracle")]
        print(f"| {op} | {' | '.join(cells)} |")


def large(sides, row, rounds):
    times = best(sides, row, rounds)
    print("\n| large tensors, ms | native | ours | Keras 3.15.1 | ours / native |\n|---|---|---|---|---|")
    for op in times["ours"]:
        cells = [times.get(side, {}).get(op) for side in ("native", "ours", "oracle")]
        shown = ["-" if c is None else f"{c * 1e3:.3f}" for c in cells]
        ratio = "-" if cells[0] is None else f"{cells[1] / cells[0]:.2f}"
        print(f"| {op} | {' | '.join(shown)} | {ratio} |")
    return times


def all_ops(sides, rounds, worst, path):
    everything = {
        "ops": dispatch(sides, "ops", rounds, worst),
        "ops_variable": dispatch(sides, "ops_variable", rounds, worst // 2),
        "ops_large": large(sides, "ops_large", rounds),
    }
    if path:
        with open(path, "w") as file:
            json.dump(everything, file, indent=1)
