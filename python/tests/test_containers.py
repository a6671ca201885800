"""One corpus as a folder, as tar shards and as Parquet: batches are the same, bit for bit."""
import importlib.util
import io
import json
import os
import subprocess
import tarfile
import unittest

import qanat
from tests.corpora import CorpusTest
from tests.test_loader import digest

BIN = os.environ.get("QANAT_BIN")
HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
# Ways to write one table: codec, pages, encodings, row groups, index, checksums.
TABLES = {
    "plain": dict(compression="none", use_dictionary=False),
    "dictionary": dict(compression="none"),
    "snappy": dict(compression="snappy"),
    "snappy plain": dict(compression="snappy", use_dictionary=False),
    "zstd": dict(compression="zstd"),
    "gzip": dict(compression="gzip"),
    "lz4": dict(compression="lz4"),
    "v2": dict(compression="snappy", data_page_version="2.0"),
    "v2 plain": dict(compression="none", use_dictionary=False, data_page_version="2.0"),
    "groups": dict(compression="zstd", row_group_size=5, write_page_index=True),
    "pages": dict(compression="snappy", use_dictionary=False, data_page_size=1, write_batch_size=2,
                  write_page_checksum=True),
    "delta": dict(compression="zstd", use_dictionary=False,
                  column_encoding={"audio.bytes": "DELTA_LENGTH_BYTE_ARRAY", "text": "DELTA_LENGTH_BYTE_ARRAY"}),
}


def rows_of(folder):
    with open(os.path.join(folder, "metadata.csv"), encoding="utf-8") as file:
        for line in file:
            key, text, _, speaker = line.rstrip("\n").split("|")
            with open(os.path.join(folder, "wavs", key + ".wav"), "rb") as audio:
                yield key, text, speaker, audio.read()


def pack(folder, shards, tar_format):
    """The rows in their order, divided among the shards; every other text as JSON."""
    rows = list(rows_of(folder))
    per_shard = -(-len(rows) // len(shards))
    for number, shard in enumerate(shards):
        with tarfile.open(shard, "w", format=tar_format) as tar:
            for i, (key, text, speaker, audio) in enumerate(rows[number * per_shard:][:per_shard]):
                said = ({"txt": text.encode(), "speaker.txt": speaker.encode()} if i % 2 else
                        {"json": json.dumps({"text": text, "speaker": speaker}).encode()})
                for suffix, content in {"wav": audio, **said}.items():
                    member = tarfile.TarInfo(f"{key}.{suffix}")
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))


def write_table(folder, path, **how):
    import pyarrow
    import pyarrow.parquet

    keys, texts, speakers, audio = zip(*rows_of(folder))
    cells = [{"bytes": content, "path": f"{key}.wav"} for key, content in zip(keys, audio)]
    kind = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
    table = pyarrow.table({"audio": pyarrow.array(cells, kind), "text": texts, "speaker": speakers})
    pyarrow.parquet.write_table(table, path, **how)


class Containers(CorpusTest):
    def digests(self, data, **settings):
        settings = {"batch_size": 4, "cache_dir": os.path.join(self.scratch, "cache"), **settings}
        with qanat.Loader(data, **settings) as loader:
            return [digest(batch) for _ in range(2) for batch in loader], loader.speakers

    def assert_same(self, data):
        for settings in ({}, {"split": "train"}, {"payload": "audio"}):
            with self.subTest(settings):
                self.assertEqual(self.digests(data, **settings), self.digests(self.data, **settings))

    def path(self, name):
        return os.path.join(self.scratch, name)

    def test_tar_shards_give_the_batches_of_the_folder(self):
        for name, tar_format in FORMATS.items():
            os.mkdir(self.path(name))
            shards = [self.path(f"{name}/part-{i}.tar") for i in range(3)]
            pack(self.data, shards, tar_format)
            with self.subTest(name):
                self.assert_same(self.path(name))
                self.assert_same(self.path(name) + "/part-{0..2}.tar")

    @unittest.skipUnless(HAS_PYARROW, "pyarrow is not installed")
    def test_tables_give_the_batches_of_the_folder(self):
        for name, how in TABLES.items():
            path = self.path(f"{name}.parquet")
            write_table(self.data, path, **how)
            with self.subTest(name):
                self.assert_same(path)

    def test_a_shard_that_is_cut_off_gives_what_stands_before(self):
        whole, cut = self.path("whole.tar"), self.path("cut.tar")
        pack(self.data, [whole], tarfile.USTAR_FORMAT)
        with open(whole, "rb") as file, open(cut, "wb") as out:
            out.write(file.read(os.path.getsize(whole) // 2))

        with qanat.Loader(cut, batch_size=4, max_bad_fraction=0.5) as loader:
            rows = sum(len(batch) for batch in loader)

        self.assertGreater(rows, self.utterances // 4)
        self.assertLess(rows, self.utterances)

    @unittest.skipUnless(BIN, "QANAT_BIN does not name the program")
    def test_commands_take_shards_and_say_what_they_are(self):
        shard = self.path("one.tar")
        pack(self.data, [shard], tarfile.USTAR_FORMAT)
        features = self.path("features")

        check = subprocess.run([BIN, "data", "check", shard, "--json"], capture_output=True, text=True, check=False)
        made = subprocess.run([BIN, "precompute", "--data", shard, "--out", features, "--json"],
                              capture_output=True, text=True, check=False)

        self.assertEqual(json.loads(check.stdout)["usable"]["utterances"], self.utterances, check.stderr)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue(any(name.endswith(".qmel") or os.path.getsize(os.path.join(features, name)) > 1000
                            for name in os.listdir(features)))


if __name__ == "__main__":
    unittest.main()
