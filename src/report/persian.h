// Persian for reports: a catalogue of English sentences with gaps and their translations.
//
// Diagnosis makes its sentences in English, numbers included; a sentence is looked up by the
// words around its numbers. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace qanat {

struct Translation {
  std::string_view english;  // "{} workers, {} % busy": a gap takes any text
  std::string_view persian;  // gaps in the same order, or by number: "{1} ... {0}"
};

// All sentences: those of `qanat diagnose`, of pages, of profiles, of data sets, of
// `qanat validate`.
std::span<const Translation> persian_host_sentences();
std::span<const Translation> persian_page_sentences();
std::span<const Translation> persian_profile_sentences();
std::span<const Translation> persian_dataset_sentences();
std::span<const Translation> persian_validation_sentences();

// A gap is filled with the translation of its text where there is one, with Persian digits where
// it is a number ("12.5", "12.5 ms", "3 %"), else with its text as it is, isolated. A gap that the
// translation puts inside isolates is a name or a part of a command, and stays as it is whatever it
// says. A sentence that is not in the catalogue comes back English, isolated.
std::string to_persian(std::string_view english);
bool has_persian(std::string_view english);

}  // namespace qanat
