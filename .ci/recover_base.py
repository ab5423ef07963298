"""Recovers the runtime base that a published executable was compiled on: see .ci/runtime_base.

    python3 recover_base.py WHEEL OUTPUT VERSION

The compiler puts the program behind the base in a way of each format's own, and this takes it out
again: Linux has it appended, macOS in a segment of its own (arm64) or behind the strings (x64). On
Windows it is a resource, which the compiler replaces, so the executable serves as it is.
"""

import os
import pathlib
import struct
import sys
import zipfile

MARK = b"d3n0l4nd"


def elf(blob: bytearray) -> bytes:
    (section_table,) = struct.unpack_from("<Q", blob, 40)
    entry_size, entries = struct.unpack_from("<HH", blob, 58)
    end = section_table + entry_size * entries
    if blob[end : end + 8] != MARK:
        raise ValueError("nothing is appended")
    return bytes(blob[:end])


def load_commands(blob: bytearray):
    """Offset and kind of every load command of a Mach-O file."""
    (count,) = struct.unpack_from("<I", blob, 16)
    at = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", blob, at)
        yield at, kind, size
        at += size


SEGMENT, SYMBOLS, DYNAMIC_SYMBOLS, DYLD_INFO = 0x19, 0x2, 0xB, 0x80000022
# Commands that point to a stretch of the link-edit data: signature, function starts, data in code,
# exports, chained fixups.
LINK_EDIT = {0x1D, 0x26, 0x29, 0x80000033, 0x80000034}
POINTERS = {
    SYMBOLS: (8, 16),
    DYNAMIC_SYMBOLS: (32, 40, 48, 56, 64, 72),
    DYLD_INFO: (8, 16, 24, 32, 40),
    **{kind: (8,) for kind in LINK_EDIT},
}


def segment_name(blob: bytearray, at: int) -> bytes:
    return bytes(blob[at + 8 : at + 24]).rstrip(b"\0")


def macho_segment(blob: bytearray, at: int, size: int) -> bytes:
    """Takes the program's segment out and moves what follows it back."""
    count, commands = struct.unpack_from("<II", blob, 16)
    memory, start, length = struct.unpack_from("<QQQ", blob, at + 32)
    for other, kind, _ in load_commands(blob):
        if kind == SEGMENT and segment_name(blob, other) == b"__LINKEDIT":
            address, _, offset = struct.unpack_from("<QQQ", blob, other + 24)
            struct.pack_into("<Q", blob, other + 24, address - memory)
            struct.pack_into("<Q", blob, other + 40, offset - length)
        for field in POINTERS.get(kind, ()):
            (pointer,) = struct.unpack_from("<I", blob, other + field)
            if pointer >= start:
                struct.pack_into("<I", blob, other + field, pointer - length)
    end = 32 + commands
    head = blob[:at] + blob[at + size : end] + bytes(size) + blob[end:start]
    struct.pack_into("<II", head, 16, count - 1, commands - size)
    return bytes(head + blob[start + length :])


def macho_strings(blob: bytearray) -> bytes:
    """Cuts the program, and the signature behind it, off the table of strings."""
    for at, kind, _ in load_commands(blob):
        if kind == SYMBOLS:
            strings, _ = struct.unpack_from("<II", blob, at + 16)
    cut = blob.find(MARK, strings)
    if cut < 0:
        raise ValueError("no program behind the strings")
    for at, kind, _ in load_commands(blob):
        if kind == SYMBOLS:
            struct.pack_into("<I", blob, at + 20, cut - strings)
        elif kind == 0x1D:
            struct.pack_into("<II", blob, at + 8, cut, 0)
        elif kind == SEGMENT and segment_name(blob, at) == b"__LINKEDIT":
            (offset,) = struct.unpack_from("<Q", blob, at + 40)
            struct.pack_into("<Q", blob, at + 32, (cut - offset + 0xFFF) & ~0xFFF)
            struct.pack_into("<Q", blob, at + 48, cut - offset)
    return bytes(blob[:cut])


def macho(blob: bytearray) -> bytes:
    for at, kind, size in load_commands(blob):
        if kind == SEGMENT and segment_name(blob, at) == b"__SUI":
            return macho_segment(blob, at, size)
    return macho_strings(blob)


def recover(blob: bytearray) -> bytes:
    if blob[:5] == b"\x7fELF\x02":
        return elf(blob)
    if blob[:4] == b"\xcf\xfa\xed\xfe":
        return macho(blob)
    if blob[:2] == b"MZ":
        return bytes(blob)
    raise ValueError("an unknown format")


def main() -> None:
    wheel, target, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    with zipfile.ZipFile(wheel) as archive:
        blob = bytearray(archive.read(max(archive.infolist(), key=lambda info: info.file_size)))
    if f"Deno/{version}".encode() not in blob:
        sys.exit(f"runtime base: {wheel.name} was not compiled by Deno {version}")
    try:
        base = recover(blob)
    except ValueError as error:
        sys.exit(f"runtime base: {wheel.name}: {error}")
    partial = target.with_suffix(".part")
    partial.write_bytes(base)
    partial.chmod(0o755)
    os.replace(partial, target)


main()
