#!/usr/bin/env python3
"""Measures what rewriting a model costs: bench/rewrite.py [--tool PROGRAM] [--folder FOLDER] [--runs N] [--check] [CASE...]

Makes its own inputs in FOLDER (default: a temporary folder; it needs about 10 GiB), runs `onnx-shapes infer` on each in
turn with `cp` of the same file, and prints the median times, their ratio and the largest memory of any run. With
--check the exit status is 1 if a target is missed.

Cases:
  weights   2 GiB of weights in 128 tensors       target: 1.3 times cp, 64 MiB
  tensors   2 GiB of weights in 16,384 tensors    target: 64 MiB
  large     a file of 3 GiB                       target: 1.3 times cp, 64 MiB
  external  1 GiB of external data                target: 64 MiB, and the data is not touched
  chain     chains of 10,000 and 100,000 nodes    target: 12 times the processor's time for 10 times the nodes
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MIB = 1 << 20
GIB = 1 << 30
CP_RATIO = 1.3
MEMORY = 64 * MIB
CHAIN_RATIO = 12.0

FLOAT = 1  # TensorProto.FLOAT
IR_VERSION = 9
OPSET = 20


# The protobuf wire format, enough of it to stream a model without holding its weights.

def varint(value):
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def header(number, size):
    """Tag and length of a field whose content follows."""
    return varint(number << 3 | 2) + varint(size)


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    if isinstance(content, str):
        content = content.encode()
    return header(number, len(content)) + content


def value_info(name, dims):
    """A ValueInfoProto of a float tensor; a dim is a number or a name."""
    shape = b"".join(field(1, field(1, dim) if isinstance(dim, int) else field(2, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape)))


def node(op_type, inputs, output):
    return b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, op_type)


class Tensor:
    """A float initializer: its fields, and how many bytes of data follow them."""

    def __init__(self, name, dims, external=None):
        self.data = 0 if external else 4 * dims[0] * dims[1]
        self.fields = b"".join(field(1, dim) for dim in dims) + field(2, FLOAT) + field(8, name)
        if external:
            location, offset = external
            entries = {"location": location, "offset": str(offset), "length": str(4 * dims[0] * dims[1])}
            self.fields += b"".join(field(13, field(1, key) + field(2, value)) for key, value in entries.items())
            self.fields += field(14, 1)  # data_location = EXTERNAL
        else:
            self.fields += header(9, self.data)

    def size(self):
        return len(self.fields) + self.data


def write_model(path, nodes, tensors, inputs, outputs):
    """Streams a model of one graph: nodes, then tensors, then the rest."""
    chunk = os.urandom(MIB)
    nodes = b"".join(field(1, n) for n in nodes)
    end = field(2, "g") + b"".join(field(11, v) for v in inputs) + b"".join(field(12, v) for v in outputs)
    size = len(nodes) + sum(len(header(5, t.size())) + t.size() for t in tensors) + len(end)
    with open(path, "wb") as file:
        file.write(field(1, IR_VERSION) + header(7, size) + nodes)
        for tensor in tensors:
            file.write(header(5, tensor.size()) + tensor.fields)
            for left in range(tensor.data, 0, -MIB):
                file.write(chunk[:left])
        file.write(end + field(8, field(2, OPSET)))


def matmul_chain(path, count, side, external=None):
    """x[N, side] times `count` square weights, one after the other."""
    tensors = [Tensor(f"w{i}", (side, side), (external, 4 * side * side * i) if external else None) for i in range(count)]
    nodes = [node("MatMul", [f"x{i}", f"w{i}"], f"x{i + 1}") for i in range(count)]
    write_model(path, nodes, tensors, [value_info("x0", ["N", side])], [value_info(f"x{count}", ["N", side])])


def relu_chain(path, count):
    nodes = [node("Relu", [f"x{i}"], f"x{i + 1}") for i in range(count)]
    write_model(path, nodes, [], [value_info("x0", ["N", 64])], [value_info(f"x{count}", ["N", 64])])


def apart(make, *arguments, **options):
    """Runs it in a process of its own: the peak memory of this one counts as its children's."""
    process = os.fork()
    if process == 0:
        make(*arguments, **options)
        os._exit(0)
    if os.waitpid(process, 0)[1] != 0:
        sys.exit("a model could not be made")


# Runs.

def run(command, good_exits=(0,)):
    """Seconds, seconds of the processor, and the peak of resident bytes of one run."""
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in good_exits:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def settled(command):
    """The same, when nothing is left to be written: or the writes of the run before are paid for by this one."""
    os.sync()
    return run(command)


class Bench:
    def __init__(self, tool, folder, runs):
        self.tool, self.folder, self.runs = str(tool), folder, runs
        self.missed = False

    def infer(self, model, beside=None):
        """Times of infer, its times of the processor, times of `beside` run in turn with it, and infer's peak memory."""
        output = self.folder / "out.onnx"
        ours, processor, theirs, peak = [], [], [], 0
        for _ in range(self.runs):
            if beside:
                output.unlink(missing_ok=True)
                theirs.append(settled([beside, str(model), str(output)])[0])
            output.unlink(missing_ok=True)
            seconds, busy, memory = settled([self.tool, "infer", str(model), "-o", str(output), "--quiet"])
            ours.append(seconds)
            processor.append(busy)
            peak = max(peak, memory)
            if output.stat().st_size <= model.stat().st_size:
                sys.exit(f"{model.name}: nothing was added")
        output.unlink()
        return ours, processor, theirs, peak

    def target(self, met):
        self.missed = self.missed or not met
        return "" if met else "  MISSED"

    def copy_case(self, name, make, ratio_target):
        model = self.folder / f"{name}.onnx"
        apart(make, model)
        ours, _, theirs, peak = self.infer(model, beside="/bin/cp")
        # Pairs lie close in time, so that a slow spell of the disk hits both of a pair.
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        met = peak <= MEMORY and (ratio_target is None or ratio <= ratio_target)
        print(f"{name:9} {model.stat().st_size / GIB:5.2f} GiB   infer {statistics.median(ours):7.3f} s   "
              f"cp {statistics.median(theirs):7.3f} s   ratio {ratio:5.2f}   peak {peak / MIB:5.1f} MiB{self.target(met)}", flush=True)
        model.unlink()

    def weights(self):
        self.copy_case("weights", lambda path: matmul_chain(path, 128, 2048), CP_RATIO)

    def tensors(self):
        self.copy_case("tensors", lambda path: matmul_chain(path, 16_384, 181), None)

    def large(self):
        self.copy_case("large", lambda path: matmul_chain(path, 48, 4096), CP_RATIO)

    def external(self):
        model, data = self.folder / "external.onnx", self.folder / "external.bin"
        apart(matmul_chain, model, 64, 2048, external=data.name)
        with open(data, "wb") as file:
            file.truncate(GIB)
        before = data.stat()
        ours, _, _, peak = self.infer(model)
        after = data.stat()
        met = peak <= MEMORY and (before.st_mtime_ns, before.st_blocks) == (after.st_mtime_ns, after.st_blocks)
        print(f"external   1.00 GiB   infer {statistics.median(ours):7.3f} s   peak {peak / MIB:5.1f} MiB{self.target(met)}", flush=True)
        model.unlink()
        data.unlink()

    def chain(self):
        times = {}
        for count in (10_000, 100_000):
            model = self.folder / f"chain{count}.onnx"
            apart(relu_chain, model, count)
            ours, processor, _, peak = self.infer(model)
            times[count] = statistics.median(processor)  # so short a time says little on a busy machine
            print(f"chain     {count:7,} nodes   infer {statistics.median(ours):7.3f} s   of the processor {times[count]:.3f} s   peak {peak / MIB:5.1f} MiB", flush=True)
            model.unlink()
        ratio = times[100_000] / times[10_000]
        print(f"chain     ten times the nodes take {ratio:.1f} times the time{self.target(ratio <= CHAIN_RATIO)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, default=ROOT / "build/release/bin/onnx-shapes")
    parser.add_argument("--folder", type=pathlib.Path, help="where the files are made")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit status 1 if a target is missed")
    cases = ["weights", "tensors", "large", "external", "chain"]
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(cases))
    options = parser.parse_args()
    if unknown := set(options.cases) - set(cases):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if not options.tool.exists():
        parser.error(f"{options.tool} is not there; build it: cmake --preset release && cmake --build --preset release")
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="onnx-shapes-bench-") as folder:
        bench = Bench(options.tool.resolve(), pathlib.Path(folder), options.runs)
        for case in options.cases or cases:
            getattr(bench, case)()
    return 1 if options.check and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
