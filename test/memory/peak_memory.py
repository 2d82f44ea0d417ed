"""Checks the peak memory of the command: with --memory LIMIT a verb takes at most LIMIT + 32 MiB of private memory (RssAnon), or
refuses with exit code 4 and a message that says how much it needs.

    peak_memory.py --weft PATH [--verb scan] [--only NAME] [--full]

--full uses large inputs (a record of 30 M bases, compressed files of 1 GB) instead of smaller ones, which exceed their limits
as well. Cases that are named in expected_failures.txt must fail; a case that passes has to be removed from that list.

There are two measurements, and the larger one is the peak. The first is the largest RssAnon in /proc/PID/status, which is read
once a millisecond, so that it may miss a short peak. The second misses no peak: it is the largest resident size that the kernel
recorded (ru_maxrss), less the pages of files that were resident when the observed size was largest. On a busy machine, pages of
mapped files may go unobserved and count as private. Therefore a case that exceeds its limit is measured up to five times, and
fails only if all five measurements exceed the limit. ru_maxrss starts from the resident size of the process that starts weft, so
this program itself holds no inputs.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback

import index_cases  # noqa: F401: registers its cases
import inputs
import sequence_cases  # noqa: F401: likewise
import text_cases  # noqa: F401: likewise
from inputs import CASES

SLACK = 32 << 20
EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected_failures.txt")


def resident(pid):
    """Returns RssAnon, and RssFile with RssShmem, of a process in bytes; None once it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            found = dict(re.findall(r"^(RssAnon|RssFile|RssShmem):\s+(\d+) kB", file.read(), re.MULTILINE))
    except OSError:
        return None
    if len(found) < 3:
        return None
    return int(found["RssAnon"]) << 10, int(found["RssFile"]) + int(found["RssShmem"]) << 10


def measure(command, folder, timeout=120):
    """Runs a command; returns its exit code, its standard error, the peak of its private memory, and its processor time
    in seconds."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
    settings.update(LC_ALL="C", WEFT_DEVICE="cpu", WEFT_THREADS="2", TMPDIR=folder)
    begin = time.monotonic()
    with open(os.path.join(folder, "stderr"), "wb+") as errors, open(os.devnull, "r+b") as nothing:
        process = subprocess.Popen(command, cwd=folder, env=settings, stdin=nothing, stdout=nothing, stderr=errors)
        seen, largest, of_files = 0, 0, 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() - begin > timeout:
                process.kill()
            now = resident(process.pid)
            if now is not None:
                seen = max(seen, now[0])
                if sum(now) >= largest:
                    largest, of_files = sum(now), now[1]
            time.sleep(0.001)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    peak = max(seen, (usage.ru_maxrss << 10) - of_files)
    return process.returncode, text, peak, usage.ru_utime + usage.ru_stime


def prepared(case, folder):
    """Makes the inputs of a case in a process of its own, whose memory does not count here; returns weft's arguments."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(case.arguments(folder)).encode())
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read()
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError(f"the inputs of {case.name} cannot be made")
    return json.loads(text)


def judge(case, code, text, peak):
    """Returns what is wrong with a run, or ''."""
    bound = inputs.size(case.limit) + SLACK
    if peak > bound:
        return f"takes {peak >> 20} MiB, {bound >> 20} MiB are allowed"
    if code == 0:
        return ""
    if code != 4:
        return f"exit code {code}, where 0 or, as a refusal, 4 is expected: {text.strip()}"
    if not re.search(r"\d+(\.\d+)? ([KMGT]iB|B\b|residues|bytes)", text):
        return f"refuses without saying what it needs: {text.strip()}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", required=True)
    parser.add_argument("--verb")
    parser.add_argument("--only")
    parser.add_argument("--full", action="store_true")
    given = parser.parse_args()
    if not os.path.exists("/proc/self/status"):
        print("Skipped: there is no /proc to tell memory")
        sys.exit(77)
    weft = os.path.abspath(given.weft)
    with open(EXPECTED, encoding="ascii") as file:
        expected = {line.split("#")[0].strip() for line in file} - {""}
    unknown = expected - {case.name for case in CASES}
    chosen = [case for case in CASES if given.verb in (None, case.name.split("/")[0]) and (given.only or "") in case.name]
    failed = len(unknown)
    for name in sorted(unknown):
        print(f"FAILED {name}: expected_failures.txt names it, and there is no such case")
    for case in chosen:
        with tempfile.TemporaryDirectory(prefix="weft-memory-") as folder:
            arguments = prepared(case, inputs.Folder(folder, given.full, weft))
            for _ in range(5):
                code, text, peak, seconds = measure([weft, *arguments, "--memory", case.limit], folder)
                wrong = judge(case, code, text, peak)
                if "MiB are allowed" not in wrong:
                    break
        if case.name in expected:
            wrong = "" if wrong else "passes: take it off expected_failures.txt"
        failed += bool(wrong)
        said = f": {text.strip()[:200]}" if code == 4 else ""
        print(f"{'FAILED' if wrong else 'ok    '} {case.name} --memory {case.limit}: exit {code}, peak {peak / (1 << 20):.1f} "
              f"MiB, {seconds:.2f} s{said}" + (f"\n       {wrong}\n       weft {' '.join(arguments)}" if wrong else ""))
    print(f"{len(chosen)} cases, {failed} failed")
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
