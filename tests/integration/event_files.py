"""Readers of TensorBoard files and Perfetto traces that share no code with the program."""
import struct


def crc_of_byte(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


CRC_TABLE = [crc_of_byte(byte) for byte in range(256)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def fields(message):
    """(field, wire type, value) of a protobuf message; strings and messages are bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = varint()
        wire = tag & 7
        if wire == 0:
            value = varint()
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value = message[at:at + size]
            at += size
        elif wire == 2:
            size = varint()
            value = message[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {wire} at {at}")
        if at > len(message):
            raise ValueError("message is cut off")
        yield tag >> 3, wire, value


def records(path):
    """The messages of a TensorBoard file; every checksum is checked."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        (size,) = struct.unpack("<Q", head)
        message = data[at + 12:at + 12 + size]
        stored = struct.unpack("<I", data[at + 8:at + 12])[0]
        stored_data = struct.unpack("<I", data[at + 12 + size:at + 16 + size])[0]
        if stored != masked(head) or stored_data != masked(message):
            raise ValueError(f"checksum of the record at {at}")
        yield message
        at += 16 + size


class BoardFile:
    """scalars: {tag: {step: value}}; audio, images, texts: {tag: {step: bytes}}."""

    def __init__(self, path):
        self.scalars, self.audio, self.images, self.texts = {}, {}, {}, {}
        self.version, self.starts = None, []
        for message in records(path):
            event = {field: value for field, _, value in fields(message)}
            step = event.get(2, 0)
            if 3 in event:
                self.version = event[3]
            if 7 in event:
                self.starts.append(step)
            for _, _, value in fields(event.get(5, b"")):
                self.take(step, {field: data for field, _, data in fields(value)})

    def take(self, step, value):
        tag = value[1].decode()
        if 2 in value:
            self.scalars.setdefault(tag, {})[step] = struct.unpack("<f", value[2])[0]
        if 4 in value:
            self.images.setdefault(tag, {})[step] = dict(
                (field, data) for field, _, data in fields(value[4]))[4]
        if 6 in value:
            self.audio.setdefault(tag, {})[step] = dict(
                (field, data) for field, _, data in fields(value[6]))[4]
        if 8 in value:
            tensor = {field: data for field, _, data in fields(value[8])}
            self.texts.setdefault(tag, {})[step] = tensor[8].decode()


class Trace:
    """tracks: {uuid: name}; slices and counters by track name, in the order of the file."""

    def __init__(self, path):
        self.tracks, self.slices, self.counters, self.instants = {}, {}, {}, {}
        self.flows = {}  # id: [(track name, slice name), ...]
        open_slices, newest, events = {}, {}, []
        for field, _, packet in fields(path.read_bytes()):
            assert field == 1, field
            parts = {number: value for number, _, value in fields(packet)}
            if 60 in parts:
                track = {number: value for number, _, value in fields(parts[60])}
                self.tracks[track[1]] = track.get(2, b"(process)").decode()
            if 11 in parts:
                events.append((parts[8], parts[11]))
        for at, event in events:
            parts, flows = {}, []
            for number, _, value in fields(event):
                if number in (47, 48):
                    flows.append(struct.unpack("<Q", value)[0])
                else:
                    parts[number] = value
            track = self.tracks[parts[11]]
            assert at >= newest.get(track, 0), f"{track}: time goes back at {at}"
            newest[track] = at
            stack = open_slices.setdefault(track, [])
            if parts[9] == 1:
                stack.append((parts[23].decode(), at))
                for flow in flows:
                    self.flows.setdefault(flow, []).append((at, track, stack[-1][0]))
            elif parts[9] == 2:
                name, begin = stack.pop()
                self.slices.setdefault(track, []).append((name, begin, at, len(stack)))
            elif parts[9] == 3:
                self.instants.setdefault(parts[23].decode(), []).append(at)
            else:
                self.counters.setdefault(track, []).append((at, struct.unpack("<d", parts[44])[0]))
        assert not any(open_slices.values()), "a slice does not end"
        for way in self.flows.values():
            way.sort()
