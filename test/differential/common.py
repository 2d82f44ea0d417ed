"""Holds the code that the differential programs share: flags, seeds, time, running weft, and keeping the files of failing cases.

A differential program NAME_differential.py compares weft with an oracle on random inputs:

    import common

    def case(run):                        # one comparison; run.random is seeded by --seed and the case's number
        text = run.file("text", bytes(run.random.choices(b"ab", k=run.random.randrange(20))))
        result = run.weft("bwt", text, "-o", run.path("text.wbwt"))
        run.expect(result.code == 0, "bwt refuses a text", result)

    common.main(case)

Every program has these flags: --weft PATH (the program under test), --seed N, --seconds S (no new case starts after S
seconds), --cases N (the maximum number of cases), --case K (runs only case K, to repeat a failure), --keep DIR (the folder for
the files of a failing case; default: a folder of /tmp). Exit codes: 0 all cases agree, 1 a case failed, 77 skipped with a reason.
"""

import argparse
import itertools
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback


class Failure(Exception):
    """Reports a case in which weft and the oracle disagree."""


class Result:
    """Holds the outcome of a command: its exit code (negative: the signal that ended it), standard output and standard error."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def __str__(self):
        return f"{self.command}\n  exit code {self.code}\n  output: {shown(self.out)}\n  errors: {shown(self.err)}"


class Run:
    """Holds one case: its random numbers, and a folder of its own for its files, which is empty at first."""

    def __init__(self, weft, seed, number, folder):
        self.weft_program, self.seed, self.number, self.folder = weft, seed, number, folder
        self.random = random.Random(f"{seed}/{number}")
        self.last = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, data):
        """Writes `data` (bytes or str) to a file of the case's folder and returns its path."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def weft(self, *arguments, stdin=b"", environment=None, timeout=120):
        """Runs weft in the case's folder. A crash, a hang or an exit code that no verb has is a failure at once."""
        result = self.command([self.weft_program, *arguments], stdin, environment, timeout)
        self.expect(result.code >= 0, f"weft is ended by signal {-result.code}", result)
        self.expect(result.code in (0, 1, 2, 3, 4), "weft has no such exit code", result)
        self.expect(result.code in (0, 1) or result.err.strip(), "weft fails without a message", result)
        return result

    def command(self, arguments, stdin=b"", environment=None, timeout=120):
        """Runs any command in the case's folder, in the C locale and without settings of weft from the environment."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        settings = {**inherited, "LC_ALL": "C", "TMPDIR": self.folder, **(environment or {})}
        changed = [f"{name}={shlex.quote(value)}" for name, value in (environment or {}).items()]
        line = " ".join(changed + [shlex.quote(os.fspath(argument)) for argument in arguments])
        try:
            done = subprocess.run(arguments, input=stdin, cwd=self.folder, env=settings, timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        except subprocess.TimeoutExpired:
            self.last = Result(line, 0, b"", b"")
            self.fail(f"the command does not end within {timeout} s", self.last)
        self.last = Result(line, done.returncode, done.stdout, done.stderr)
        return self.last

    def expect(self, condition, message, *details):
        if not condition:
            self.fail(message, *details)

    def equal(self, found, expected, message):
        """Checks that two values are equal, and shows both if they are not."""
        if found != expected:
            self.fail(message, self.last, f"expected: {shown(expected)}", f"found:    {shown(found)}",
                      difference(found, expected))

    def fail(self, message, *details):
        raise Failure("\n".join([message, *(str(detail) for detail in details)]))


def shown(value, size=600):
    """Returns a value as a message shows it, with long ones shortened."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= size else f"{text[:size]}... ({len(value)} long)"


def difference(found, expected):
    """Returns the position at which two sequences begin to differ."""
    if not (hasattr(found, "__getitem__") and hasattr(expected, "__getitem__")) or isinstance(found, dict):
        return ""
    first = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
    return f"they differ from position {first} on, lengths {len(found)} and {len(expected)}"


def skip(reason):
    """Ends the program because it cannot run on this machine, and says why."""
    print(f"Skipped: {reason}")
    sys.exit(77)


def require(*programs):
    """Skips the program if one of the commands is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed")


def main(*cases):
    """Runs the cases in turn, each with new random numbers, until the time is over; ends the program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep")
    given = parser.parse_args()
    weft = os.path.abspath(given.weft)
    if not os.access(weft, os.X_OK):
        parser.error(f"{weft} is no program")
    numbers = [given.case] if given.case is not None else range(given.cases) if given.cases else itertools.count()
    end = time.monotonic() + given.seconds
    done = 0
    for number in numbers:
        if done > 0 and given.case is None and given.cases is None and time.monotonic() > end:
            break
        case = cases[number % len(cases)]
        folder = tempfile.mkdtemp(prefix="weft-case-")
        try:
            case(Run(weft, given.seed, number, folder))
        except Exception as fault:  # of weft, or of an oracle that cannot read what weft wrote
            text = str(fault) if isinstance(fault, Failure) else traceback.format_exc()
            report(text, case, given, number, folder)
            sys.exit(1)
        finally:
            restore_permissions(folder)
            shutil.rmtree(folder, ignore_errors=True)
        done += 1
    print(f"{done} cases agree")
    sys.exit(0)


def report(fault, case, given, number, folder):
    restore_permissions(folder)
    kept = tempfile.mkdtemp(prefix="weft-failed-", dir=given.keep)
    shutil.copytree(folder, kept, dirs_exist_ok=True, symlinks=True)
    print(f"FAILED: {case.__name__}, seed {given.seed}, case {number}: {fault}")
    print(f"its files: {kept} (the command ran in {folder})")
    print(f"again: {shlex.join([sys.executable, *repeated(sys.argv)])} --case {number}")


def repeated(arguments):
    """Returns the program's arguments without the limits that --case makes meaningless."""
    kept = iter(arguments)
    return [a for a in kept if not (a in ("--seconds", "--cases", "--case") and next(kept, None) is not None)]


def restore_permissions(folder):
    """Makes every folder of a case removable again."""
    for path, _, _ in os.walk(folder):
        os.chmod(path, 0o700)
