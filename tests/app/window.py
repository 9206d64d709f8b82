"""The viewer in a window of an X server of its own, for test_view.py: real mouse and key events, queries, dropped files."""
import ctypes
import json
import os
import select
import subprocess
import sys
import time

import program
from program import check, fresh

VIEW = os.path.join(os.path.dirname(program.TARN), "tarn-view")
SIZE = (480, 300)  # small, for software GL; below 800 there is no panel at first
WAIT = 60  # seconds for anything to happen; far above what any needs
SCREEN = None  # the X server; set by open_screen()


def open_screen():
    global SCREEN
    SCREEN = Screen()
    return SCREEN


class Screen:
    """An X server of our own."""

    def __init__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1024x640x24", "-nolisten",
                                        "tcp"], pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        self.pipe = os.fdopen(reader)  # open to the end: the server writes its number in two pieces
        self.name = ":" + self.pipe.readline().strip()

    def close(self):
        self.server.terminate()
        self.server.wait(WAIT)


class Window:
    """A running viewer."""

    def __init__(self, *args, size=SIZE, env=None, cwd=None):
        self.env = program.plain_environment({"DISPLAY": SCREEN.name, **(env or {})})
        self.env.pop("WAYLAND_DISPLAY", None)
        self.size = size
        self.folder = fresh("window")
        os.makedirs(self.folder)
        self.program = subprocess.Popen(
            [VIEW, *args, "--test-server", "--size", f"{size[0]}x{size[1]}", "-o", self.folder, "--threads", "1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env,
            cwd=cwd or program.WORK)
        self.state()
        found = self.xdo("search", "--sync", "--onlyvisible", "--name", "tarn").split()
        self.xdo("windowfocus", "--sync", found[0])

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            self.program.kill()
            message = self.program.communicate()[1]
            print(message, file=sys.stderr)
        else:
            self.close()

    def close(self):
        """Close the viewer; it must print nothing."""
        _, message = self.program.communicate(timeout=WAIT)  # the end of stdin is the end
        check(self.program.returncode == 0 and message == "", self.program.returncode, message)

    def xdo(self, *args):
        return subprocess.run(["xdotool", *map(str, args)], env=self.env, check=True, stdout=subprocess.PIPE, text=True,
                              timeout=WAIT).stdout

    def ask(self, question):
        self.program.stdin.write(question + "\n")
        self.program.stdin.flush()
        ready, _, _ = select.select([self.program.stdout], [], [], WAIT)
        line = self.program.stdout.readline() if ready else ""
        check(line, "no answer to", question, self.program.poll())
        return json.loads(line)

    def state(self):
        return self.ask("state")

    def frames(self, count=2):
        """Wait for some frames, so that events have arrived and are handled."""
        end = self.ask("count")["frames"] + count
        while self.ask("count")["frames"] < end:
            pass

    def until(self, what, condition):
        limit = time.monotonic() + WAIT
        while time.monotonic() < limit:
            answer = self.ask(what)
            if condition(answer):
                return answer
        check(False, "waited in vain for", what, answer)

    def key(self, *names):
        for name in names:
            self.xdo("key", name)
        self.frames()

    def hold(self, name):
        """For Dear ImGui 1.86, which misses a key that is released before the next frame."""
        self.xdo("keydown", name)
        self.frames()
        self.xdo("keyup", name)
        self.frames()

    def pause(self):
        self.xdo("key", "p")
        return self.until("state", lambda s: s["paused"])

    def resume(self):
        self.xdo("key", "p")
        return self.until("state", lambda s: not s["paused"])

    def point(self, x, y):
        self.xdo("mousemove", "--sync", int(x), int(y)) if [int(x), int(y)] != self.pointer() else None
        self.frames()

    def pointer(self):
        lines = self.xdo("getmouselocation", "--shell").split()
        return [int(line.split("=")[1]) for line in lines[:2]]

    def middle(self, label):
        x0, y0, x1, y1 = self.ask("item " + label)["rect"]
        return 0.5 * (x0 + x1), 0.5 * (y0 + y1)

    def click(self, label):
        self.point(*self.middle(label))
        self.xdo("click", 1)
        self.frames(3)

    def drag(self, button, start, end, steps=5):
        self.point(*start)
        self.xdo("mousedown", button)
        self.frames()
        for k in range(1, steps + 1):
            self.point(start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps)
        self.frames()
        self.xdo("mouseup", button)
        self.until("state", lambda s: s["mouse"] == "idle")

    def press(self, button, place, mode, until):
        """Hold a mouse button at a position until a condition holds."""
        self.point(*place)
        self.xdo("mousedown", button)
        self.until("state", lambda s: s["mouse"] == mode)
        answer = self.until(*until)
        self.xdo("mouseup", button)
        self.until("state", lambda s: s["mouse"] == "idle")
        return answer

    def grab(self):
        """The content of the screen with panels and overlays, as RGB bytes."""
        self.frames(2)
        done = subprocess.run(["ffmpeg", "-v", "error", "-f", "x11grab", "-video_size", f"{self.size[0]}x{self.size[1]}",
                               "-i", SCREEN.name, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                              stdout=subprocess.PIPE, timeout=WAIT, check=True)
        return done.stdout

    def drop(self, path):
        """Drop a file on the window as a file manager does."""
        found = self.xdo("search", "--onlyvisible", "--name", "tarn").split()
        drop_file(self.env["DISPLAY"], int(found[0]), path)


# ---- X's drag and drop, version 5 --------------------------------------------------------------------


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("message", ctypes.c_ulong), ("format", ctypes.c_int),
                ("data", ctypes.c_long * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                ("owner", ctypes.c_ulong), ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
                ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Selection(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong),
                ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("message", ClientMessage), ("request", SelectionRequest), ("selection", Selection),
                ("padding", ctypes.c_long * 24)]


def x11():
    lib = ctypes.CDLL("libX11.so.6")
    lib.XOpenDisplay.restype = ctypes.c_void_p
    lib.XDefaultRootWindow.restype = lib.XInternAtom.restype = lib.XCreateSimpleWindow.restype = ctypes.c_ulong
    return lib


def drop_file(display, window, path):
    """Offer a file, move over the window, drop it, and send the name when the window requests it."""
    CLIENT, REQUEST, NOTIFY = 33, 30, 31
    lib = x11()
    d = ctypes.c_void_p(lib.XOpenDisplay(display.encode()))
    root = lib.XDefaultRootWindow(d)
    own = lib.XCreateSimpleWindow(d, ctypes.c_ulong(root), 0, 0, 1, 1, 0, ctypes.c_ulong(0), ctypes.c_ulong(0))
    names = ("XdndEnter", "XdndPosition", "XdndDrop", "XdndStatus", "XdndFinished", "XdndSelection", "XdndActionCopy",
             "text/uri-list")
    atom = {name: lib.XInternAtom(d, name.encode(), 0) for name in names}
    lib.XSetSelectionOwner(d, ctypes.c_ulong(atom["XdndSelection"]), ctypes.c_ulong(own), ctypes.c_ulong(0))

    def send(to, event):
        lib.XSendEvent(d, ctypes.c_ulong(to), 0, ctypes.c_long(0), ctypes.byref(event))
        lib.XFlush(d)

    def send_message(name, *data):
        event = Event()
        event.message = ClientMessage(CLIENT, 0, 1, d, window, atom[name], 32, (ctypes.c_long * 5)(own, *data))
        send(window, event)

    def wait(done):
        limit = time.monotonic() + WAIT
        event = Event()
        while time.monotonic() < limit:
            if not lib.XPending(d):
                time.sleep(0.01)
                continue
            lib.XNextEvent(d, ctypes.byref(event))
            if done(event):
                return
        check(False, "the window does not answer")

    def hand_over(event):
        if event.type == REQUEST:
            ask = event.request
            text = ("file://" + path + "\r\n").encode()
            lib.XChangeProperty(d, ctypes.c_ulong(ask.requestor), ctypes.c_ulong(ask.property),
                                ctypes.c_ulong(atom["text/uri-list"]), 8, 0, text, len(text))
            answer = Event()
            answer.selection = Selection(NOTIFY, 0, 1, d, ask.requestor, ask.selection, ask.target, ask.property, ask.time)
            send(ask.requestor, answer)
        return event.type == CLIENT and event.message.message == atom["XdndFinished"]

    send_message("XdndEnter", 5 << 24, atom["text/uri-list"], 0, 0)
    send_message("XdndPosition", 0, 100 << 16 | 100, 0, atom["XdndActionCopy"])
    wait(lambda event: event.type == CLIENT and event.message.message == atom["XdndStatus"])
    send_message("XdndDrop", 0, 0, 0, 0)
    wait(hand_over)
    lib.XCloseDisplay(d)
