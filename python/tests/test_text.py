"""qanat.normalize: the readers of the library."""
import unittest

import qanat


class NormalizeTest(unittest.TestCase):
    def test_english_and_persian_are_read(self):
        self.assertEqual(qanat.normalize("It cost $3.50.", "en"), "it cost three dollars and fifty cents.")
        self.assertEqual(qanat.normalize("۲۵٪", "fa"), "بیست و پنج درصد")

    def test_other_languages_keep_their_letters(self):
        self.assertEqual(qanat.normalize("Sch\u006f\u0308ne Grüße", "de"), "schöne grüße")

    def test_digits_without_a_reader_are_an_error_that_says_how_to_go_on(self):
        with self.assertRaisesRegex(ValueError, "--g2p"):
            qanat.normalize("12 €", "de")

    def test_what_is_no_language_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "german"):
            qanat.normalize("Hallo", "german")


if __name__ == "__main__":
    unittest.main()
