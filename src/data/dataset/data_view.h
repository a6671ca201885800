// A view of a data set: which rows to leave out, which parts of clips to keep, which texts to look
// at. `qanat data doctor --write-view` writes one, people edit it, and every reader of the set
// applies it; the set itself stays as it is.
//
//   # comments
//   drop<TAB>id<TAB>rules<TAB>why
//   trim<TAB>id<TAB>rules<TAB>0.25 4.10 5.00<TAB>why     seconds: from, to, of how many
//   check<TAB>id<TAB>rules<TAB>why                       read and kept: nothing is done about it
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "dataset/dataset_index.h"
#include "dataset/manifest.h"

namespace qanat {

enum class ViewAction : std::uint8_t { drop, trim, check };

std::string_view to_string(ViewAction action);

struct ViewLine {
  ViewAction action = ViewAction::check;
  std::string id;
  std::string rules;               // "DOC003, DOC007"; for people
  std::optional<KeptPart> kept{};  // of trim
  std::string why;                 // for people
  int line = 0;                    // of the file

  bool operator==(const ViewLine&) const = default;
};

struct DataView {
  std::vector<ViewLine> lines;
};

// A Failure names the first line that says nothing of these, or something twice.
Result<DataView> parse_view(std::string_view text);
// Throws Error: no such file, or what parse_view() says of it.
DataView read_view(const std::filesystem::path& file);
// `comments`: a line each, without the sign.
std::string to_text(const DataView& view, const std::vector<std::string>& comments);

// Leaves rows out of a manifest and marks what is kept of others; rows left out become problems of
// kind `left_out`. Gives what there is to say about it. Throws Error where no line is about a row
// of the set: it is the view of another one.
std::vector<MessageArg> apply_view(const std::filesystem::path& file, Manifest& manifest);

// Where in the clip, at this rate, an utterance begins.
SampleCount first_sample(const Utterance& utterance, SampleRate rate);

// The samples that are kept of a decoded clip, or what there is of them.
std::span<const float> kept_of(std::span<const float> samples,
                               const Utterance& utterance,
                               SampleRate rate);

// From the lengths of clips to those of what is kept of them. A clip whose length is not the one
// that the view was written for becomes unusable: nobody knows what would be cut off.
void trim_lengths(const Manifest& manifest, SampleRate rate, DatasetIndex& index);

}  // namespace qanat
