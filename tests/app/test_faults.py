#!/usr/bin/env python3
"""test_faults.py TARN SCENES: any file operation fails once: there is an error or the right result.

Uses fault.so from the folder tests beside TARN, which makes one call fail.
"""
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time

import program
from program import DT, check, expect, fresh, pond, tarn, test
from test_resume import damage, outputs, stop_at


LONG = bool(os.environ.get("TARN_LONG"))
FAULT = os.path.join(os.path.dirname(program.TARN), "tests", "fault.so")
CALLS = ("open", "read", "write", "fsync", "rename", "close", "truncate")
ERRORS = ("ENOSPC", "EIO", "EACCES", "EINTR")


def failure_modes(call):
    return ERRORS + (("SHORT",) if call in ("read", "write") else ())


def run_arguments(scene, folder):
    return ("run", scene, "--duration", 16 * DT, "--csv", "--vtk", "--output-interval", 3.5 * DT, "--checkpoint", 8 * DT,
            "--threads", "1", "--quiet", "-o", folder)


def with_fault(folder, call, n, how, *args):
    env = {"LD_PRELOAD": FAULT, "FAULT": f"{call}:{n}:{how}", "FAULT_DIR": folder}
    done = tarn(*args, env=env)
    hit = "[fault]\n" in done.stderr
    done.stderr = done.stderr.replace("[fault]\n", "")
    return done, hit


def each_fault(folder, *args):
    """Each call fails once, in every failure mode; in the quick run the modes take turns."""
    for call in CALLS:
        n, more = 1, True
        while more:
            kinds = failure_modes(call)
            for how in kinds if LONG else kinds[n % len(kinds)::len(kinds)]:
                yield call, n, how
                more = HIT[0]
            n += 1
        check(n > 2 or call in ("read", "truncate"), "no call of", call, "was seen")


HIT = [False]


def check_outcome(done, what, folder, files, codes=(0, 4)):
    """Either an error that names the place, without incomplete files under final names, or success."""
    check(done.returncode in codes, what, "exit code", done.returncode, done.stderr)
    found = outputs(folder) if os.path.isdir(folder) else {}
    if done.returncode == 0:
        check(found == files, what, "exit code 0, but other files")
        return
    check(folder in done.stderr, what, "is not named:", done.stderr)
    for name, data in found.items():
        check(name.endswith(".part") or data == files[name], what, name, "is wrong under its final name")


def preload_works():
    if not os.path.exists(FAULT) or not with_fault("/nowhere", "open", 1, "EIO", "--version")[0].returncode == 0:
        print("fault.so cannot be used with this build: not tested")
        return False
    return True


@test
def every_call_of_a_run_fails_once():
    if not preload_works():
        return
    scene, folder = pond(), os.path.join(program.WORK, "faults")
    expect(tarn(*run_arguments(scene, fresh("complete"))), 0)
    files = outputs(os.path.join(program.WORK, "complete"))
    count = 0
    for call, n, how in each_fault(folder):
        fresh("faults")
        done, HIT[0] = with_fault(folder, call, n, how, *run_arguments(scene, folder))
        what = f"{call} {n} {how}"
        check_outcome(done, what, folder, files)
        if how in ("SHORT", "EINTR") and call in ("write", "fsync") and n > 1:  # the first is the list of the folder
            check(done.returncode == 0, what, "should have continued", done.stderr)
        if done.returncode == 0:
            continue
        count += 1
        # The run can be resumed, or started again.
        if os.path.isdir(folder) and [f for f in os.listdir(folder) if f.endswith(".tarn") and f != ".tarn"]:
            expect(tarn("resume", folder, "--quiet"), 0)
        else:
            expect(tarn(*run_arguments(scene, folder)), 0)
        check(outputs(folder) == files, what, "and then other files")
        check(not [f for f in os.listdir(folder) if f.endswith(".part")], what, os.listdir(folder))
    print(count, "faults ended a run")
    check(count > 50)


@test
def every_call_of_a_resumed_run_fails_once():
    if not preload_works():
        return
    scene = pond()
    expect(tarn(*run_arguments(scene, fresh("complete"))), 0)
    files = outputs(os.path.join(program.WORK, "complete"))
    killed, folder = fresh("killed"), os.path.join(program.WORK, "resumed")
    stop_at(12, signal.SIGKILL, *map(str, run_arguments(scene, killed)))
    for damaged in (False, True):
        if damaged:
            damage(os.path.join(killed, "checkpoint.tarn"))
        for call, n, how in each_fault(folder):
            fresh("resumed")
            shutil.copytree(killed, folder)
            done, HIT[0] = with_fault(folder, call, n, how, "resume", folder, "--threads", "1")
            what = f"resume: {call} {n} {how}"
            check_outcome(done, what, folder, files, (0, 3, 4) if damaged else (0, 4))
            if done.returncode != 0:
                expect(tarn("resume", folder, "--quiet"), 0)
                check(outputs(folder) == files, what, "and then other files")


@test
def kills_lose_at_most_one_checkpoint_interval():
    """A run with a checkpoint every 4 of its 256 steps is killed repeatedly and resumed each time."""
    kills, interval = 1000 if LONG else 30, 4
    run = ("--duration", str(256 * DT), "--csv", "--vtk", "--output-interval", str(3.5 * DT), "--hash-interval", "1",
           "--threads", "1")
    scene, folder, dice = pond(), os.path.join(program.WORK, "hunted"), random.Random(1)
    expect(tarn("run", scene, *run, "-o", fresh("complete")), 0)
    files = outputs(os.path.join(program.WORK, "complete"))
    begin, reached, ended = True, 0, 0
    while kills > 0:
        if begin:
            fresh("hunted")
            process = program.start("run", scene, *run, "--checkpoint", str(interval * DT), "-o", folder)
            program.wait_for(os.path.join(folder, "checkpoint.tarn"))
        else:
            process = program.start("resume", folder, "--threads", "1")
        time.sleep(dice.uniform(0, 0.04))
        process.kill()
        out, message = process.communicate(timeout=program.LIMIT)
        check(process.returncode in (0, -signal.SIGKILL), process.returncode, message)
        found = re.search(r"continuing after step (\d+)", message)
        check(not found or reached - int(found.group(1)) <= interval, "lost", reached, message)
        check("damaged" not in message, message)
        steps = [int(line.split()[0]) for line in out.splitlines() if re.fullmatch(r"\d+ [0-9a-f]{16}", line)]
        reached = max([0 if begin else reached] + steps)
        begin = process.returncode == 0
        if begin:
            check(outputs(folder) == files, "other files after kills")
            ended += 1
        else:
            kills -= 1
            for name, data in outputs(folder).items():
                check(name.endswith(".part") or data == files[name], name, "is wrong under its final name")
    if not begin:
        expect(tarn("resume", folder), 0)
    check(outputs(folder) == files)
    print(ended, "runs came to their end between the kills")


if __name__ == "__main__":
    if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 25:
        tempfile.tempdir = "/dev/shm"  # nothing waits for a disk there
    sys.exit(program.main())
