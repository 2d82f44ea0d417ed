"""Runs a fixed corpus of commands and compares what they print and write with recorded digests.

    run_corpus.py --weft PATH [--record] [--only REGEX] [--commands FILE] [--keep FOLDER] [--extra-data FOLDER]
                  [--jobs N] [--ranks N,... --mpi openmpi|mpich|none|gpus]

commands.txt holds one command on each line, in the syntax of bash; `weft` is the program. Every command runs in a fresh
folder that holds links to the input files: those of make_inputs.py, those of examples/data, `cli` (test/data/cli) and, if
--extra-data is given, `extra`. The program compares the exit code, the SHA-256 of standard output, and the name and the
SHA-256 of every file that the command leaves. It does not compare standard error.

A line `## TITLE` begins a group of commands. A line `## TITLE needs: COMMAND` begins a group that is skipped if COMMAND fails.

--ranks starts the program of every command as so many ranks, with the mpirun of the library --mpi, or as threads of one process
if that is none, or with --gpus N if that is gpus; inputs of any size are then shared. is_excused() says which commands may then differ, and the program prints
how many do. If a command takes too long, the stacks of its ranks are printed, where gdb is installed.

--record writes digests.tsv instead of comparing. --only runs only the commands that contain a match of REGEX, --commands those
that are lines of FILE. --keep FOLDER
keeps what the commands print and write: the outputs of a command that agrees are in a folder named by the command's hash,
HASH, and those of a command that differs are in HASH.differs. If an earlier run kept the right outputs of a command that
differs, the program shows the first line that differs.

The commands get WEFT_THREADS and WEFT_DEVICE from the environment (WEFT_DEVICE is cpu if it is not set), but no other
settings of weft. Exit codes: 0 all commands agree, 1 some differ.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COMMANDS, DIGESTS = os.path.join(HERE, "commands.txt"), os.path.join(HERE, "digests.tsv")
INPUTS = "the inputs"  # the row that holds the digest of all input files has this name instead of a command
SECONDS = int(os.environ.get("CORPUS_SECONDS", 120))  # a command that takes longer is killed and counts as different
PASSED_ON = ("WEFT_DEVICE", "WEFT_THREADS")  # settings of the environment that reach the commands


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def read_commands():
    """Returns (condition, command) of every command; the condition is '' or the shell command that its group needs."""
    result, condition = [], ""
    for line in read(COMMANDS).decode().splitlines():
        if line.startswith("## "):
            condition = line.partition(" needs: ")[2]
        elif line and not line.startswith("#"):
            result.append((condition, line))
    if len(result) != len({command for _, command in result}):
        sys.exit(f"{COMMANDS}: a command stands there twice")
    return result


def read_digests():
    """Returns the recorded row of every command: exit code, digest of standard output, and the files."""
    if not os.path.exists(DIGESTS):
        return {}
    with open(DIGESTS, encoding="utf-8") as file:
        return {command: tuple(row) for *row, command in (line.rstrip("\n").split("\t", 3) for line in file)}


class Corpus:
    """Holds the program and the inputs, in a folder with everything that a run needs."""

    def __init__(self, folder, weft, extra):
        self.folder, self.inputs = folder, os.path.join(folder, "inputs")
        self.weft, self.program = os.path.abspath(weft), os.path.join(folder, "bin", "weft")
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(self.weft, self.program)
        shutil.copytree(os.path.join(ROOT, "examples", "data"), self.inputs, ignore=shutil.ignore_patterns("*.md"))
        shutil.copytree(os.path.join(ROOT, "test", "data", "cli"), os.path.join(self.inputs, "cli"))
        subprocess.run([sys.executable, os.path.join(HERE, "make_inputs.py"), self.inputs], check=True)
        if extra and os.path.isdir(extra):
            os.symlink(os.path.abspath(extra), os.path.join(self.inputs, "extra"))
        kept = {name: os.environ[name] for name in os.environ if not name.startswith("WEFT_") or name in PASSED_ON}
        self.environment = {"WEFT_DEVICE": "cpu", **kept, "LC_ALL": "C", "CORPUS": HERE,
                            "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"]}

    def use_ranks(self, ranks, mpi):
        """Makes `weft` a script that starts the program as so many ranks of an MPI library, or as so many threads."""
        self.environment.update(WEFT_MIN_SHARED_SYMBOLS="1", WEFT_MIN_SHARED_RANKS="2", WEFT_MIN_SHARED_CELLS="1",
                                WEFT_MIN_SHARED_ROWS="64", WEFT_MIN_SHARED_GPU_CELLS="1", WEFT_MIN_SHARED_LETTERS="1")
        if mpi == "none":
            self.environment.update(WEFT_THREAD_RANKS=str(ranks))
            return
        if mpi == "gpus":
            self.environment.pop("WEFT_DEVICE", None)
            self.write_program(f'case "$1" in sort|scan|find|lcs) set -- "$1" --gpus {ranks} "${{@:2}}";; esac\n'
                               f'exec -a "${{0##*/}}" {self.weft} "$@"\n')
            return
        launch = {"openmpi": "mpirun.openmpi --oversubscribe --quiet", "mpich": "mpirun.mpich"}[mpi]
        # An mpirun would take the argument ':' for itself.
        self.write_program("script=$(mktemp /tmp/weft-ranks-XXXXXX)\n"
                           f"echo \"exec -a ${{0##*/}} {self.weft}\" \"${{@@Q}}\" >\"$script\"\n"
                           f'{launch} -n {ranks} bash "$script"\ncode=$?\nrm "$script"\nexit $code\n')
        # Open MPI would put files into TMPDIR, where the commands run, and may leave them if a pipe is closed.
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_orte_tmpdir_base="/tmp")

    def write_program(self, script):
        """Makes `weft` a script."""
        os.remove(self.program)
        with open(self.program, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n" + script)
        os.chmod(self.program, 0o755)

    def stacks(self, scratch):
        """Returns the stacks of the ranks that run in a folder, as far as gdb is installed."""
        result = b""
        for pid in (name for name in os.listdir("/proc") if name.isdigit() and shutil.which("gdb")):
            try:
                if os.readlink(f"/proc/{pid}/exe") == self.weft and os.readlink(f"/proc/{pid}/cwd") == scratch:
                    result += subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt"], capture_output=True,
                                             check=False).stdout
            except OSError:  # the process has ended, or belongs to another user
                pass
        return result

    def inputs_row(self):
        """Returns the row of the inputs. How Python compresses differs between machines, so compressed files do not count."""
        paths = [os.path.join(self.inputs, name) for name in sorted(os.listdir(self.inputs))]
        plain = [path for path in paths if os.path.isfile(path) and not path.endswith((".gz", ".bz2", ".xz", ".zst"))]
        return "0", sha256("".join(f"{os.path.basename(path)} {sha256(read(path))}\n" for path in plain).encode()), "-"

    def run(self, command, scratch):
        """Runs a command in the empty folder `scratch`; returns its exit code (None: it took too long), output and errors."""
        for name in os.listdir(self.inputs):
            os.symlink(os.path.join(self.inputs, name), os.path.join(scratch, name))
        with subprocess.Popen(["bash", "-c", "set -o pipefail; " + command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=scratch, env={**self.environment, "TMPDIR": scratch},
                              start_new_session=True) as started:
            try:
                out, errors = started.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                stacks = self.stacks(scratch)
                os.killpg(started.pid, signal.SIGKILL)
                return None, b"", stacks + f"ended after {SECONDS} seconds".encode()
        return started.returncode, out, errors

    def outcome(self, command):
        """Runs a command; returns its row, the bytes of its outputs by name, and its standard error."""
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            code, out, errors = self.run(command, scratch)
            outputs = {}
            for folder, _, names in os.walk(scratch):
                for path in (os.path.join(folder, name) for name in names):
                    if not os.path.islink(path):
                        outputs[os.path.relpath(path, scratch)] = read(path)
        files = " ".join(f"{name}={sha256(data)}" for name, data in sorted(outputs.items())) or "-"
        return (str(code), sha256(out), files), {"standard output": out, **outputs}, errors



def keep(outputs, path):
    """Writes the outputs of a command into a folder, in place of what was there."""
    shutil.rmtree(path, ignore_errors=True)
    for name, data in outputs.items():
        os.makedirs(os.path.dirname(os.path.join(path, name)), exist_ok=True)
        with open(os.path.join(path, name), "wb") as file:
            file.write(data)


def first_difference(outputs, path):
    """Describes the first line in which the outputs differ from those that are kept in a folder."""
    for name, data in outputs.items():
        kept_path = os.path.join(path, name)
        now, before = data.split(b"\n"), read(kept_path).split(b"\n") if os.path.exists(kept_path) else []
        for number, (new, old) in enumerate(zip(now + [b"(end)"], before + [b"(end)"]), 1):
            if new != old:
                return f"    {name}, line {number}: {new[:160]!r}\n      it was: {old[:160]!r}"
    return ""


def describe(row, recorded, errors):
    """Says how the row of a command differs from the recorded one."""
    if recorded is None:
        return "    it is not recorded"
    said = errors.decode(errors="replace").strip()[-300:]
    parts = [f"    exit code {row[0]}, recorded is {recorded[0]}: {said}"] if row[0] != recorded[0] else []
    if row[1] != recorded[1]:
        parts.append("    standard output differs")
    now, before = (dict(each.rsplit("=", 1) for each in files.split(" ") if each != "-") for files in (row[2], recorded[2]))
    for name in sorted(now.keys() | before.keys()):
        if now.get(name) != before.get(name):
            parts.append(f"    file {name} " + ("is missing" if name not in now else "is new" if name not in before else "differs"))
    return "\n".join(parts)


# The flags that make a command the work of one process.
UNSHARED = re.compile(r"--(check|merge|debug|plot|engine)\b|--format[ =]html|\bsort\b.* -[a-zA-Z]*[cCm]")


def is_excused(mpi, command, row, recorded, errors):
    """Returns whether a command may differ if it runs as several ranks: if it needs more memory than one process is allowed, and
    several have enough; if it has a flag that cannot be shared, and says so without an output; if it tells the size of standard
    input, which is a pipe of the launcher; if it runs only on the CPU, or on one GPU, and says so; or if the launcher of MPICH 4.0
    has ended the job because a rank has not read standard input at once."""
    if recorded is not None and recorded[0] == "4" and row[0] == "0":
        return True
    if row == ("2", sha256(b""), "-") and b"cannot be shared among several ranks" in errors and UNSHARED.search(command):
        return True
    if re.search(r"\binfo - .*<", command) and row[0] == "0":
        return True
    if row[0] == "141" and not errors and re.search(r" - <", command):
        return True  # the same end of the launcher of MPICH, without its message
    if mpi == "gpus" and row[0] in ("2", "4") and re.search(rb"--gpus: one GPU does|--gpus and --device|only on the CPU|on the CPU only|a GPU cannot run", errors):
        return True
    return b"process reading stdin too slowly" in errors or b"HYDT_dmxu_poll_wait_for_event" in errors


def compare(corpus, given, run, recorded, pool):
    """Runs the commands, reports those that differ from their recorded rows, and returns all rows and the number that differ."""
    rows, differ, excused = {}, 0, 0
    for command, (row, outputs, errors) in zip(run, pool.map(corpus.outcome, run)):
        rows[command] = row
        agrees = given.record or row == recorded.get(command)
        kept = os.path.join(given.keep, sha256(command.encode())[:12]) if given.keep else ""
        if not agrees and given.ranks and is_excused(given.mpi, command, row, recorded.get(command), errors):
            excused += 1
        elif not agrees:
            differ += 1
            print(f"DIFFERS: {command}\n{describe(row, recorded.get(command), errors)}", flush=True)
            if kept and os.path.isdir(kept):
                print(first_difference(outputs, kept))
        if kept:
            keep(outputs, kept if agrees else kept + ".differs")
    if not given.record:
        print(f"{len(run) - differ - excused} commands agree, {differ} differ" +
              (f", {excused} are excused" if excused else ""), flush=True)
    return rows, differ


def num_gpus(weft):
    """Returns the number of GPUs that weft can use."""
    listed = subprocess.run([weft, "devices", "--json"], stdout=subprocess.PIPE, check=True).stdout
    return len(json.loads(listed)["gpus"])


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", required=True)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--commands")
    parser.add_argument("--keep")
    parser.add_argument("--extra-data")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--ranks", type=lambda text: [int(each) for each in text.split(",")], default=[])
    parser.add_argument("--mpi", choices=["openmpi", "mpich", "none", "gpus"], default="mpich")
    given = parser.parse_args()
    if given.ranks and given.mpi not in ("none", "gpus") and not shutil.which(f"mpirun.{given.mpi}"):
        print(f"Skipped: mpirun.{given.mpi} is not installed")
        sys.exit(77)
    if given.mpi == "gpus" and num_gpus(given.weft) < max(given.ranks, default=0):
        print(f"Skipped: there are {num_gpus(given.weft)} GPUs, not {max(given.ranks)}")
        sys.exit(77)
    return given


def chosen_commands(given):
    """Returns (condition, command) of the commands that --only and --commands choose."""
    chosen = [each for each in read_commands() if re.search(given.only, each[1])]
    if not given.commands:
        return chosen
    wanted = [line for line in read(given.commands).decode().splitlines() if line and not line.startswith("#")]
    if missing := set(wanted) - {command for _, command in chosen}:
        sys.exit(f"{given.commands}: these are not in the corpus: {sorted(missing)}")
    return [each for each in chosen if each[1] in wanted]


def main():
    given = parse_arguments()
    commands, recorded, differ, broken = chosen_commands(given), read_digests(), 0, False
    with tempfile.TemporaryDirectory(prefix="weft-corpus-") as folder, \
            concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        corpus = Corpus(folder, given.weft, given.extra_data)
        inputs = corpus.inputs_row()
        if not given.record and inputs != recorded.get(INPUTS):
            broken = True
            print("DIFFERS: the input files are not those that the digests were recorded with")
        holds = {condition: corpus.outcome(condition)[0][0] == "0" for condition in {each for each, _ in commands} - {""}}
        for condition in (each for each in sorted(holds) if not holds[each]):
            print(f"Skipped {sum(each == condition for each, _ in commands)} commands: here this fails: {condition}")
        run = [command for condition, command in commands if holds.get(condition, True)]
        for ranks in given.ranks or [0]:
            if ranks:
                kind = {"none": "threads", "gpus": "GPUs"}.get(given.mpi, f"ranks of {given.mpi}")
                print(f"{ranks} {kind}: ", end="", flush=True)
                corpus.use_ranks(ranks, given.mpi)
            rows, more = compare(corpus, given, run, recorded, pool)
            differ += more
        if corpus.inputs_row() != inputs:
            broken = True
            print("DIFFERS: a command has changed the input files")
    if given.record:
        rows[INPUTS] = inputs
        if broken or any(row[0] == "None" or int(row[0]) >= 126 for row in rows.values()):
            sys.exit("Nothing is recorded, because a command crashed, hung, was not found or changed an input")
        known = {INPUTS: inputs, **{command: rows.get(command, recorded.get(command)) for _, command in read_commands()}}
        with open(DIGESTS, "w", encoding="utf-8") as file:
            file.writelines("\t".join([*row, command]) + "\n" for command, row in known.items() if row)
        print(f"{len(run)} commands are recorded")
        return 0
    return 1 if differ or broken or not run else 0


if __name__ == "__main__":
    sys.exit(main())
