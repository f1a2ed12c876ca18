"""One direction of a video call between real nodes: RTP packets of audio and video [RFC3550 s5.1].

    penstock emulate examples/emulation/bottleneck.toml \
        --run "h2: python3 examples/emulation/call.py receive" \
        --run "h1 at 1 s: python3 examples/emulation/call.py send h2 --seconds 8"

Audio has a packet of 160 bytes every 20 ms; video has 25 frames a second in packets of 1200 bytes.
"""

from __future__ import annotations

import argparse
import socket
import struct
import time

PORT = 5004
AUDIO, VIDEO = 0, 96
HEADER = struct.Struct("!BBHII")


def send(to: str, seconds: float, video_rate: float) -> None:
    """Sends both streams, each with sequence numbers of its own."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    frame = max(1, round(video_rate / 8 / 25 / 1200))
    begin = time.monotonic()
    numbers = {AUDIO: 0, VIDEO: 0}
    for tick in range(int(seconds * 50)):
        time.sleep(max(0.0, begin + tick / 50 - time.monotonic()))
        sizes = [(AUDIO, 160)] + [(VIDEO, 1200)] * (frame if tick % 2 == 0 else 0)
        for kind, size in sizes:
            stamp = time.monotonic_ns() // 1000 & 0xFFFFFFFF
            header = HEADER.pack(0x80, kind, numbers[kind] & 0xFFFF, stamp, kind)
            out.sendto(header + bytes(size - HEADER.size), (to, PORT))
            numbers[kind] += 1


def receive() -> None:
    """Prints packets, losses and mean delay of each stream every second; both nodes have the same clock."""
    heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    heard.bind(("", PORT))
    seen: dict[int, list[float]] = {AUDIO: [], VIDEO: []}
    last = {AUDIO: -1, VIDEO: -1}
    next_report = time.monotonic() + 1
    while True:
        _, kind, number, stamp, _ = HEADER.unpack_from(heard.recv(2000))
        seen[kind].append(((time.monotonic_ns() // 1000 - stamp) & 0xFFFFFFFF) / 1000)
        last[kind] = max(last[kind], number)
        if time.monotonic() >= next_report:
            next_report += 1
            for name, of in (("audio", AUDIO), ("video", VIDEO)):
                if seen[of]:
                    lost = last[of] + 1 - len(seen[of])
                    mean = sum(seen[of]) / len(seen[of])
                    print(f"{name}: {len(seen[of])} packets, {lost} lost, mean delay {mean:.1f} ms", flush=True)


def main() -> None:
    """Reads the command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("role", choices=["send", "receive"])
    options.add_argument("to", nargs="?", default="h2")
    options.add_argument("--seconds", type=float, default=8.0)
    options.add_argument("--video", type=float, default=2e6, help="bit/s")
    given = options.parse_args()
    if given.role == "send":
        send(given.to, given.seconds, given.video)
    else:
        receive()


if __name__ == "__main__":
    main()
