#!/usr/bin/env python3
"""test_render.py TARN SCENES: the promises of `tarn render`, tested by running it.

Without EGL only what needs no drawing is tested, and without ffmpeg nothing about videos; both are said.
"""
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

import program
from program import check, expect, fresh, pond, tarn, test

SMALL = ("--size", "160x90", "--low-quality")
DRAWING, VIDEO = [], []  # tests that need EGL; that need ffmpeg too


def drawing(function):
    DRAWING.append(function)
    return test(function)


def video(function):
    VIDEO.append(function)
    return drawing(function)


def in_work(name):
    return os.path.join(program.WORK, name)


def render(scene, output, *args, size=SMALL, **more):
    """Render half a second, or the image at its end. Options in `args` override these."""
    single = output.endswith(".png") and "%" not in output
    return tarn("render", scene, "-o", output, *size, "--at" if single else "--duration", "0.5", *args, **more)


def read_png(path):
    """Width, height, rows of RGB bytes. Every chunk's checksum must be right."""
    with open(path, "rb") as file:
        data = file.read()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", path, "is no PNG")
    at, packed, head, last = 8, b"", None, None
    while at < len(data):
        size, last = struct.unpack(">I4s", data[at: at + 8])
        body = data[at + 8: at + 8 + size]
        check(struct.unpack(">I", data[at + 8 + size: at + 12 + size])[0] == zlib.crc32(last + body), path, last)
        if last == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        if last == b"IDAT":
            packed += body
        at += 12 + size
    check(last == b"IEND" and head[2:] == (8, 2, 0, 0, 0), path, head)
    raw = zlib.decompress(packed)
    width, height = head[:2]
    check(len(raw) == height * (1 + 3 * width), path, len(raw))
    rows = []
    for j in range(height):
        line = bytearray(raw[j * (1 + 3 * width): (j + 1) * (1 + 3 * width)])
        check(line[0] in (0, 1), path, "filter", line[0])
        row = line[1:]
        if line[0] == 1:
            for i in range(3, len(row)):
                row[i] = (row[i] + row[i - 3]) & 255
        rows.append(bytes(row))
    return width, height, rows


def probe(path):
    """What ffprobe says about a video after decoding all of it."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                           "stream=width,height,nb_read_frames,avg_frame_rate,pix_fmt,codec_name",
                           "-of", "default=noprint_wrappers=1", path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=program.LIMIT)
    check(done.returncode == 0 and done.stderr == "", path, done.stderr)
    return dict(line.split("=", 1) for line in done.stdout.split())


def file_limit(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def only(folder, *names):
    check(sorted(os.listdir(folder)) == sorted(names), os.listdir(folder), "instead of", names)


# ---- help and exit codes ----------------------------------------------------------------------------


@test
def help_names_the_views():
    text = expect(tarn("render", "--help"), 0).stdout
    check(text.startswith("usage: tarn render") and "example" in text, text)
    for word in ("perspective", "top", "frames/%04d.png", ".webm", "--low-quality"):
        check(word in text, word, "is missing in", text)
    check(max(map(len, text.splitlines())) <= 110, "a line is too long")


@test
def usage_errors_exit_with_2():
    scene = pond()
    for args, message in (
        ((), "missing argument"),
        ((scene, "-o", "a.png", "--duration", "1"), "use --at"),
        ((scene, "-o", "a.mp4", "--at", "1"), "use --duration"),
        ((scene, "-o", "x.avi"), "must end with .mp4"),
        ((scene, "-o", ".png"), "must end with"),
        ((scene, "-o", "x%s.png"), "no other %"),
        ((scene, "-o", "x%4d.png"), "no other %"),
        ((scene, "-o", "x%00d.png"), "no other %"),
        ((scene, "-o", "x%010d.png"), "no other %"),
        ((scene, "-o", "x%d%d.png"), "no other %"),
        ((scene, "-o", "x%d%n.png"), "no other %"),
        ((scene, "-o", "x%%d.png"), "no other %"),
        ((scene, "-o", "x%"), "must end with"),
        ((scene, "-o", "f%d/x.png"), "folders are not numbered"),
        ((scene, "-o", "y" * 300 + ".png"), "too long"),
        ((scene, "--size", "640"), "for example 640x360"),
        ((scene, "--size", "640x360x2"), "for example 640x360"),
        ((scene, "--size", "-640x360"), "for example 640x360"),
        ((scene, "--size", "640x"), "for example 640x360"),
        ((scene, "--size", "8x8"), "outside 16 .. 8192"),
        ((scene, "--size", "99999999999999999999x20"), "outside 16 .. 8192"),
        ((scene, "--size", "161x90", "-o", "x.mp4"), "even width"),
        ((scene, "--fps", "0"), "outside 1 .. 240"),
        ((scene, "--fps", "60", "-o", "x.gif"), "50 images per second"),
        ((scene, "--range", "1"), "for example 0.9:1.1"),
        ((scene, "--range", "2:1"), "for example 0.9:1.1"),
        ((scene, "--range", "0:inf"), "for example 0.9:1.1"),
        ((scene, "--range", "nan:1"), "for example 0.9:1.1"),
        ((scene, "--range", "0:1:2"), "for example 0.9:1.1"),
        ((scene, "--supersample", "0"), "outside 1 .. 8"),
        ((scene, "--supersample", "8"), "1280 pixels are drawn as 10240"),
        ((scene, "--motion-blur", "65"), "outside 1 .. 64"),
        ((scene, "--view", "tpo"), "did you mean top?"),
        ((scene, "--view", "qqqqqqqqqqq"), "perspective, top"),
    ):
        done = expect(tarn("render", *args), 2)
        check(message in done.stderr, args, done.stderr)
        check(done.stdout == "", args, done.stdout)
    check(not [f for f in os.listdir(program.WORK) if not f.endswith(".json")], os.listdir(program.WORK))


@test
def unknown_view_of_a_scene_exits_with_3():
    done = expect(render(pond("odd.json", view={"mode": "persepctive"}), "x.png"), 3)
    check("view.mode" in done.stderr and "did you mean perspective?" in done.stderr, done.stderr)
    done = expect(render(pond("odd.json", view={"camra": [1, 2, 3]}), "x.png"), 3)
    check("did you mean 'camera'?" in done.stderr, done.stderr)


@test
def the_gallery_shows_every_scene():
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
    with open(os.path.join(docs, "gallery.md"), encoding="utf-8") as file:
        page = file.read()
    names = [name[:-5] for name in os.listdir(program.SCENES) if name.endswith(".json")]
    for name in names:
        check(f"gallery/{name}.png" in page, name, "has no picture: scripts/update-gallery draws it")
    check(sorted(os.listdir(os.path.join(docs, "gallery"))) == sorted(name + ".png" for name in names), "other pictures")


# ---- images ---------------------------------------------------------------------------------------


@drawing
def image_sequences_are_complete():
    folder = fresh("series")
    done = expect(render(pond(), folder + "/%03d.png", "--fps", "10"), 0)
    only(folder, *(f"{k:03d}.png" for k in range(6)))
    check("6 of 160 x 90" in done.stdout and "hash" in done.stdout, done.stdout)
    seen = []
    for k in range(6):
        width, height, rows = read_png(f"{folder}/{k:03d}.png")
        check((width, height) == (160, 90), width, height)
        seen.append(rows)
    check(len(set(b"".join(seen[0]))) > 20, "the picture is flat")
    check(all(a != b for a, b in zip(seen, seen[1:])), "two images are the same")

    # A repeated run writes the same bits. A shorter one removes the rest of the longer; files of others stay.
    first = program.content(folder)
    expect(render(pond(), folder + "/%03d.png", "--fps", "10", "--threads", "1"), 0)
    check(program.content(folder) == first, "a second run draws something else")
    expect(render(pond(), folder + "/%03d.png", "--fps", "4"), 0)
    only(folder, "000.png", "001.png", "002.png")
    with open(folder + "/001.png", "w") as file:
        file.write("mine")
    done = expect(render(pond(), folder + "/%03d.png", "--fps", "4"), 4)
    check("001.png exists and was not created by tarn" in done.stderr, done.stderr)
    expect(render(pond(), folder + "/%03d.png", "--fps", "4", "-f"), 0)
    read_png(folder + "/001.png")


@drawing
def single_images_show_the_end():
    folder = fresh("one")
    expect(render(pond(), folder + "/all%d.png", "--fps", "10"), 0)
    expect(render(pond(), folder + "/end.png"), 0)
    check(read_png(folder + "/end.png") == read_png(folder + "/all5.png"), "not the last one")
    expect(render(pond(), folder + "/start.png", "--at", "0"), 0)
    check(read_png(folder + "/start.png") == read_png(folder + "/all0.png"), "not the first one")


@drawing
def images_between_steps_are_interpolated():
    """At 38 images a second most fall inside steps of 1/64 s; 0.5 s is step 32 for any rate."""
    folder = fresh("between")
    expect(render(pond(), folder + "/a%02d.png", "--fps", "38"), 0)
    expect(render(pond(), folder + "/end.png"), 0)
    check(len(os.listdir(folder)) == 21, os.listdir(folder))
    check(read_png(folder + "/a19.png") == read_png(folder + "/end.png"), "0.5 s is not 0.5 s")


@drawing
def views_differ_and_scenes_choose_one():
    folder = fresh("views")
    images = {}
    for view in ("perspective", "top", "height"):
        expect(render(pond(), f"{folder}/{view}.png", "--view", view), 0)
        images[view] = read_png(f"{folder}/{view}.png")
    check(len({str(p) for p in images.values()}) == 3, "two views are the same")
    expect(render(pond(), f"{folder}/range.png", "--view", "height", "--range", "0.5:1.5"), 0)
    check(read_png(f"{folder}/range.png") != images["height"], "--range does nothing")
    top = pond("top.json", view={"mode": "top"})
    expect(render(top, f"{folder}/own.png"), 0)
    check(read_png(f"{folder}/own.png") == images["top"], "the view of the scene is not used")
    expect(render(top, f"{folder}/option.png", "--view", "perspective"), 0)
    check(read_png(f"{folder}/option.png") == images["perspective"], "--view does not win")
    near = pond("near.json", view={"camera": [2, 2, 2], "target": [0, 1, 0]})
    expect(render(near, f"{folder}/near.png"), 0)
    check(read_png(f"{folder}/near.png") != images["perspective"], "view.camera does nothing")
    expect(render(near, f"{folder}/near.png", "--view", "top"), 0)
    check(read_png(f"{folder}/near.png") == images["top"], "view.camera is not for other views")


@drawing
def default_size_depends_on_the_view():
    folder = fresh("sizes")
    expect(tarn("render", pond(), "-o", folder + "/a.png", "--at", "0", "--low-quality"), 0)
    expect(tarn("render", pond(), "-o", folder + "/b.png", "--at", "0", "--low-quality", "--view", "top"), 0)
    check(read_png(folder + "/a.png")[:2] == (1280, 720) and read_png(folder + "/b.png")[:2] == (960, 960))


def light(rows):
    """Linear light of sRGB values, by IEC 61966-2-1."""
    table = [x / 255 / 12.92 if x <= 10 else ((x / 255 + 0.055) / 1.055) ** 2.4 for x in range(256)]
    return [table[x] for row in rows for x in row]


def screen(x):
    return 255 * (12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055)


@drawing
def motion_blur_is_the_mean_of_instants():
    """The mean, in linear light, of two instants of the half frame before: at 10 images a second, two of 40."""
    folder = fresh("blur")
    expect(render(pond(), folder + "/a%02d.png", "--fps", "40"), 0)
    expect(render(pond(), folder + "/b%d.png", "--fps", "10", "--motion-blur", "2"), 0)
    for k in range(1, 6):
        parts = [light(read_png(f"{folder}/a{4 * k - n:02d}.png")[2]) for n in (0, 1)]
        seen = b"".join(read_png(f"{folder}/b{k}.png")[2])
        worst = max(abs(x - screen(0.5 * (a + b))) for x, a, b in zip(seen, *parts))
        check(worst < 0.51, k, worst)  # rounded to whole numbers
    check(read_png(folder + "/b0.png") == read_png(folder + "/a00.png"), "before the run nothing moves")
    expect(render(pond(), folder + "/c.png", "--fps", "10", "--motion-blur", "2"), 0)
    check(read_png(folder + "/c.png") == read_png(folder + "/b5.png"), "one picture is another")


@drawing
def supersampling_is_the_mean_of_samples():
    folder = fresh("super")
    expect(render(pond(), folder + "/a.png", size=("--size", "320x180", "--low-quality")), 0)
    expect(render(pond(), folder + "/b.png", "--supersample", "2"), 0)
    wide, rows = 960, read_png(folder + "/a.png")[2]
    lights = light(rows)
    seen = b"".join(read_png(folder + "/b.png")[2])
    for at in range(0, len(seen), 101):  # a prime: all columns and colours
        y, x, colour = at // 480, at % 480 // 3, at % 3
        first = 2 * y * wide + 6 * x + colour
        mean = sum(lights[first + more] for more in (0, 3, wide, wide + 3)) / 4
        check(abs(seen[at] - screen(mean)) < 0.51, at, seen[at], screen(mean))


@drawing
def cameras_follow_their_keyframes():
    folder = fresh("keys")
    ends = ([3, 3, 5, 0, 1, 0], [-3, 4, 5, 0, 0.5, 0])
    moving = pond("keys.json", view={"camera_path": [[0.1, *ends[0]], [0.3, *ends[1]]]})
    expect(render(moving, folder + "/a%d.png", "--fps", "10"), 0)
    for k, end in ((0, 0), (1, 0), (3, 1), (5, 1)):  # constant before the first and after the last
        still = pond("still.json", view={"camera": ends[end][:3], "target": ends[end][3:]})
        expect(render(still, f"{folder}/b{k}.png", "--at", str(0.1 * k)), 0)
        check(read_png(f"{folder}/b{k}.png") == read_png(f"{folder}/a{k}.png"), k)
    middle = [0.5 * (a + b) for a, b in zip(*ends)]
    still = pond("still.json", view={"camera": middle[:3], "target": middle[3:]})
    expect(render(still, f"{folder}/b2.png", "--at", "0.2"), 0)
    check(read_png(f"{folder}/b2.png") == read_png(f"{folder}/a2.png"), "half the time is half the way")
    expect(render(moving, f"{folder}/top.png", "--view", "top"), 0)
    expect(render(pond(), f"{folder}/plain.png", "--view", "top"), 0)
    check(read_png(f"{folder}/top.png") == read_png(f"{folder}/plain.png"), "keys are not for other views")


@drawing
def scenes_choose_the_time_of_an_image():
    folder = fresh("moment")
    scene = pond("moment.json", view={"still_time": 0.25}, run={**program.POND["run"], "duration": 0.5})
    expect(tarn("render", scene, "-o", folder + "/a.png", *SMALL), 0)
    expect(render(pond(), folder + "/b.png", "--at", "0.25"), 0)
    check(read_png(folder + "/a.png") == read_png(folder + "/b.png"), "view.still_time is not taken")
    expect(tarn("render", scene, "-o", folder + "/c%d.png", *SMALL, "--fps", "4"), 0)
    check(os.path.exists(folder + "/c2.png"), "a film goes to the end")


@drawing
def rendering_does_not_change_the_hash():
    run = expect(tarn("run", pond(), "--duration", "0.5"), 0).stdout
    for more in ((), ("--motion-blur", "3", "--supersample", "2")):
        drawn = expect(render(pond(), "x.png", *more), 0).stdout
        check([x for x in run.splitlines() if x.startswith("hash")] == [x for x in drawn.splitlines() if "hash" in x])


@drawing
def quiet_prints_nothing():
    check(expect(render(pond(), "x.png", "-q"), 0).stderr == "")


# ---- files that cannot be written -------------------------------------------------------------------


@drawing
def unwritable_output_exits_with_4():
    folder = fresh("closed")
    os.makedirs(folder + "/folder.png")
    with open(folder + "/file", "w"):
        pass
    names = ["folder.png", "file/x.png", "file/%d.png", "file/x.gif"]
    if os.getuid() != 0:  # root may write anywhere
        os.mkdir(folder + "/locked", 0o500)
        names += ["locked/x.png", "locked/%d.png", "locked/x.mp4"]
    for name in names:
        done = expect(render(pond(), os.path.join(folder, name)), 4)
        check(folder in done.stderr and done.stderr.count("\n") <= 3, done.stderr)
    check(os.listdir(folder + "/folder.png") == [], "something was left behind")
    check(expect(render(pond(), "/proc/x.png"), 4).stderr, "/proc")


@drawing
def full_disk_leaves_no_partial_image():
    folder = fresh("full")
    done = expect(render(pond(), folder + "/%d.png", size=("--size", "320x180"), preexec_fn=file_limit(2000)), 4)
    check("File too large" in done.stderr, done.stderr)
    only(folder)
    expect(render(pond(), folder + "/x.png", size=("--size", "320x180"), preexec_fn=file_limit(2000)), 4)
    only(folder)


# ---- videos -----------------------------------------------------------------------------------------


@video
def videos_contain_every_frame():
    folder = fresh("video")
    for name, codec in (("a.mp4", "h264"), ("a.webm", "vp9"), ("a.gif", "gif")):
        for again in range(2):  # what the program made may be replaced
            done = expect(render(pond(), f"{folder}/{name}", "--fps", "20"), 0)
        check("11 of 160 x 90, 0.55 s at 20 per second" in done.stdout, done.stdout)
        report = probe(f"{folder}/{name}")
        check(report["codec_name"] == codec and report["nb_read_frames"] == "11", report)
        check((report["width"], report["height"], report["avg_frame_rate"]) == ("160", "90", "20/1"), report)
        check(codec == "gif" or report["pix_fmt"] == "yuv420p", report)
    only(folder, "a.mp4", "a.webm", "a.gif")


@video
def unusual_file_names_are_accepted():
    folder = fresh("odd names")
    for name in ("-y.mp4", "a b'c\"%d;$(touch x).mp4", "pipe:1.mp4", "a\nb.mp4"):
        expect(render(pond(), os.path.join(folder, name), "--duration", "0.1"), 0)
        probe(os.path.join(folder, name))
    expect(render(pond(), "-y.mp4", "--duration", "0.1", cwd=folder, size=(*SMALL, "-f")), 0)
    check(len(os.listdir(folder)) == 4, os.listdir(folder))


@video
def only_videos_of_tarn_are_overwritten():
    folder = fresh("strangers")
    os.mkdir(folder)
    for name in ("a.mp4", "a.gif"):
        with open(f"{folder}/{name}", "w") as file:
            file.write("mine")
        expect(render(pond(), f"{folder}/{name}"), 4)
        with open(f"{folder}/{name}") as file:
            check(file.read() == "mine")
        expect(render(pond(), f"{folder}/{name}", "-f"), 0)
        probe(f"{folder}/{name}")


def stop_rendering(signal_number, output, group):
    """Start a long video and interrupt it; returns exit code, stdout and stderr."""
    child = subprocess.Popen([program.TARN, "render", pond(), "-o", output, *SMALL, "--duration", "1000", "--fps", "30"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=program.WORK,
                             env=program.plain_environment(), start_new_session=True)
    part = output + ".part"
    end = time.monotonic() + 60
    while time.monotonic() < end and not (os.path.exists(part) and os.path.getsize(part) > 0):
        time.sleep(0.05)  # the encoder has begun to write, so there are images
    (os.killpg if group else os.kill)(child.pid, signal_number)
    report, message = child.communicate(timeout=program.LIMIT)
    return child.returncode, report, message


@video
def interrupted_videos_are_playable():
    folder = fresh("stopped")
    for number, group, name in ((signal.SIGINT, True, "a.mp4"), (signal.SIGTERM, False, "b.mp4")):
        code, report, message = stop_rendering(number, f"{folder}/{name}", group)
        check(code == 128 + number, code, message)
        check("stopped by a signal" in message and "interrupted" in report, message, report)
        frames = int(probe(f"{folder}/{name}")["nb_read_frames"])
        check(frames >= 1 and f"{frames} of 160 x 90" in report, frames, report)
    only(folder, "a.mp4", "b.mp4")


@video
def full_disk_leaves_no_partial_video():
    folder = fresh("full video")
    for name in ("a.mp4", "a.webm", "a.gif"):
        done = expect(render(pond(), f"{folder}/{name}", preexec_fn=file_limit(1000)), 4)
        check("ffmpeg: " in done.stderr and "File too large" in done.stderr, done.stderr)
        only(folder)
        expect(render(pond(), f"{folder}/{name}"), 0)
        with open(f"{folder}/{name}", "rb") as file:
            before = file.read()
        expect(render(pond(), f"{folder}/{name}", preexec_fn=file_limit(1000)), 4)
        with open(f"{folder}/{name}", "rb") as file:
            check(file.read() == before, "the old film is gone")
        os.unlink(f"{folder}/{name}")


@video
def concurrent_runs_do_not_write_one_video():
    folder = fresh("two")
    first = subprocess.Popen([program.TARN, "render", pond(), "-o", folder + "/a.mp4", *SMALL, "--duration", "1000", "-q"],
                             stdout=subprocess.DEVNULL, cwd=program.WORK)
    end = time.monotonic() + 60
    while time.monotonic() < end and not os.path.exists(folder + "/a.mp4.part"):
        time.sleep(0.05)
    time.sleep(0.2)
    done = render(pond(), folder + "/a.mp4")
    first.send_signal(signal.SIGINT)
    check(first.wait(program.LIMIT) == 130)
    check("another run is writing" in expect(done, 4).stderr, done.stderr)
    probe(folder + "/a.mp4")


@drawing
def missing_egl_is_reported():
    folder = fresh("blind")
    env = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent"}  # for libglvnd, which Debian has
    done = render(pond(), folder + "/a.png", "-q", env=env)
    if done.returncode == 0:
        return  # another EGL
    expect(done, 1)
    check("EGL" in done.stderr and done.stderr.count("\n") == 1 and done.stdout == "", done.stderr)
    check(not os.path.exists(folder), "something was made")


@drawing
def old_drivers_are_reported_with_their_version():
    """Mesa can be made to report an older version."""
    folder = fresh("old")
    done = render(pond(), folder + "/a.png", "-q", env={"MESA_GL_VERSION_OVERRIDE": "3.0"})
    if done.returncode == 0:
        return  # another driver
    expect(done, 1)
    check("OpenGL 3.0 is there" in done.stderr and "3.3 is needed" in done.stderr, done.stderr)
    check(not os.path.exists(folder), "something was made")


@drawing
def images_are_written_without_ffmpeg():
    folder = fresh("bare")
    env = {"PATH": "/nonexistent"}
    done = expect(render(pond(), folder + "/a.mp4", env=env), 1)
    check("apt-get install ffmpeg" in done.stderr and "-o frames/%04d.png" in done.stderr, done.stderr)
    only(folder)
    expect(render(pond(), folder + "/%d.png", "--fps", "2", env=env), 0)
    only(folder, "0.png", "1.png")


@drawing
def encoder_failure_is_reported_in_one_line():
    folder = fresh("failing")
    tools = in_work("tools")
    os.makedirs(tools, exist_ok=True)
    with open(tools + "/ffmpeg", "w") as file:
        file.write("#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8; do echo '[x @ 0x1] Disk is on fire' >&2; done\nexit 1\n")
    os.chmod(tools + "/ffmpeg", 0o755)
    done = expect(render(pond(), folder + "/a.mp4", "-q", env={"PATH": tools}), 4)
    check(done.stderr == f"tarn: {folder}/a.mp4: ffmpeg: Disk is on fire\n", repr(done.stderr))
    only(folder)


def skip_what_needs_missing_programs():
    if not program.TARN or check_message_without_renderer():
        lost = DRAWING
        print("skipped: no EGL to draw with (libegl-mesa0, libgl1-mesa-dri); only options are tested")
    elif not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        lost = VIDEO
        print("skipped: no ffmpeg; videos are not tested")
    else:
        lost = []
    program.TESTS[:] = [t for t in program.TESTS if t not in lost]


def check_message_without_renderer():
    import tempfile
    with tempfile.TemporaryDirectory(prefix="tarn-test-") as program.WORK:
        done = render(pond(), "try.png", "--at", "0")
        if done.returncode == 0:
            return False
        check(done.returncode == 1, "exit code", done.returncode, done.stderr)
        print(done.stderr, end="")
        return True


if __name__ == "__main__":
    if program.TARN and subprocess.run([program.TARN, "render", "--help"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL).returncode == 2:
        print("skipped: built without TARN_DRAW")
        sys.exit(0)
    skip_what_needs_missing_programs()
    sys.exit(program.main())
