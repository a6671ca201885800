"""Whether two loaders made the same mel spectrograms."""
import array

BINS = 80


def read_dump(path):
    """{id: (frames, values)} of records "<id> <frames>\\n" + frames x 80 32-bit floats."""
    mels = {}
    with open(path, "rb") as dump:
        while header := dump.readline():
            name, frames = header.decode().split()
            values = array.array("f")
            values.fromfile(dump, int(frames) * BINS)
            mels[name] = (int(frames), values)
    return mels


def largest_difference(ours, theirs):
    """Over all values of all utterances; infinite when ids or lengths differ."""
    if not ours or ours.keys() != theirs.keys():
        return float("inf")
    largest = 0.0
    for name, (frames, values) in ours.items():
        other_frames, others = theirs[name]
        if frames != other_frames:
            return float("inf")
        largest = max(largest, max(abs(a - b) for a, b in zip(values, others)))
    return largest
