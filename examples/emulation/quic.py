"""A transfer over QUIC between real nodes, with aioquic from the package registry [RFC9000].

    python3 -m venv quic && quic/bin/pip install aioquic
    penstock emulate examples/emulation/bottleneck.toml \
        --run "h2: quic/bin/python examples/emulation/quic.py serve" \
        --run "h1 at 1 s: quic/bin/python examples/emulation/quic.py send h2 --megabytes 2"

The client sends on one stream, the server counts and answers. Real nodes have no network but the emulation's, so
install aioquic before.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import ssl
import time

from aioquic.asyncio import connect, serve
from aioquic.quic.configuration import QuicConfiguration
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PORT = 4433
PROTOCOL = ["penstock-transfer"]
PIECE = bytes(1 << 16)


def own_certificate(name: str) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """A self-signed certificate with its key, valid for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now, hour = datetime.datetime.now(datetime.UTC), datetime.timedelta(hours=1)
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    return builder.not_valid_before(now - hour).not_valid_after(now + 24 * hour).sign(key, hashes.SHA256()), key


async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads a stream to its end, and answers with the number of bytes."""
    total = 0
    while piece := await reader.read(1 << 20):
        total += len(piece)
    writer.write(str(total).encode())
    writer.write_eof()


async def listen() -> None:
    """Serves until the process is ended."""
    configuration = QuicConfiguration(is_client=False, alpn_protocols=PROTOCOL)
    configuration.certificate, configuration.private_key = own_certificate("h2")
    # A handler is a plain function, which starts a task and keeps it from being collected.
    tasks: set[asyncio.Task[None]] = set()

    def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(count(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    await serve("0.0.0.0", PORT, configuration=configuration, stream_handler=handle)
    await asyncio.Future()


async def send(to: str, size: int, control: str) -> None:
    """Sends `size` bytes, and prints how long that took."""
    configuration = QuicConfiguration(alpn_protocols=PROTOCOL, congestion_control_algorithm=control)
    configuration.verify_mode = ssl.CERT_NONE
    begin = time.monotonic()
    async with connect(to, PORT, configuration=configuration) as connection:
        opened = time.monotonic()
        reader, writer = await connection.create_stream()
        for at in range(0, size, len(PIECE)):
            writer.write(PIECE[: size - at])
        writer.write_eof()
        received = int(await reader.read())
        seconds = time.monotonic() - opened
    rate = 8 * received / seconds / 1e6
    print(f"{received} bytes in {seconds:.2f} s: {rate:.2f} Mbit/s; connected after {1e3 * (opened - begin):.0f} ms")


def main() -> None:
    """Reads the command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("role", choices=["serve", "send"])
    options.add_argument("to", nargs="?", default="h2")
    options.add_argument("--megabytes", type=float, default=2.0)
    options.add_argument("--control", choices=["reno", "cubic"], default="cubic")
    given = options.parse_args()
    asyncio.run(listen() if given.role == "serve" else send(given.to, int(given.megabytes * 1e6), given.control))


if __name__ == "__main__":
    main()
