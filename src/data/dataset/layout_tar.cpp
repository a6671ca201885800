// Shards of WebDataset: members of one name make a sample, its audio is read by range.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/random_access.h"
#include "archive/tar_index.h"
#include "base/content_hash.h"
#include "dataset/container_files.h"
#include "dataset/json_rows.h"
#include "dataset/layout_lines.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr std::int64_t kMaxTextMember = 1 << 20;
constexpr std::array<std::string_view, 5> kAudioSuffixes = {"wav", "flac", "ogg", "mp3", "opus"};

// Consecutive members whose names agree up to the first dot behind the last slash.
struct TarSample {
  std::string key;
  std::map<std::string, TarMember> members;  // by what follows the dot, in lower case
  std::optional<std::string> repeated;       // a suffix that is there twice
};

// A sample, read.
struct TarRow {
  std::string key;
  std::string audio;  // the member; empty: none
  ClipPlace place;
  JsonRow cells;
  std::optional<JsonRefusal> refusal;
};

struct TarShard {
  std::string name;
  SplitHint split = SplitHint::none;
  std::vector<TarRow> rows;
  std::optional<Message> trouble;
};

// Where the suffix begins, behind its dot; nothing: the member belongs to no sample.
std::optional<std::size_t> suffix_at(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::size_t base = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = name.find('.', base);
  const bool is_meta = name.substr(base).starts_with("__");
  return dot == std::string_view::npos || dot == base || is_meta ? std::nullopt
                                                                 : std::optional(dot + 1);
}

std::vector<TarSample> group(std::vector<TarMember> members) {
  std::vector<TarSample> samples;
  for (TarMember& member : members) {
    const std::optional<std::size_t> at = suffix_at(member.name);
    if (!at) {
      continue;
    }
    std::string key = member.name.substr(0, *at - 1);
    std::string suffix = member.name.substr(*at);
    std::ranges::transform(
        suffix, suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (samples.empty() || samples.back().key != key) {
      samples.push_back({.key = std::move(key)});
    }
    const auto [place, is_new] = samples.back().members.try_emplace(suffix, std::move(member));
    if (!is_new) {
      samples.back().repeated = suffix;
    }
  }
  return samples;
}

bool is_audio_suffix(std::string_view suffix) {
  const std::size_t dot = suffix.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? suffix : suffix.substr(dot + 1);
  return std::ranges::find(kAudioSuffixes, last) != kAudioSuffixes.end();
}

// `txt` is the text, `speaker.txt` the speaker.
ColumnRole role_of_suffix(std::string_view suffix, const ColumnChoice& choice) {
  for (std::size_t role = 0; role < kNumColumnRoles; ++role) {
    if (!choice.names[role].empty() && choice.names[role] == suffix) {
      return static_cast<ColumnRole>(role);
    }
  }
  if (suffix == "txt" || suffix == "lab") {
    return ColumnRole::text;
  }
  suffix = suffix.ends_with(".txt") ? suffix.substr(0, suffix.size() - 4) : suffix;
  const ColumnRole role = suffix == "spk" ? ColumnRole::speaker : role_of(suffix);
  return role == ColumnRole::audio ? ColumnRole::unused : role;
}

const TarMember* audio_of(const TarSample& sample, const ColumnChoice& choice) {
  const std::string& chosen = choice.name(ColumnRole::audio);
  const auto found = std::ranges::find_if(sample.members, [&](const auto& member) {
    return chosen.empty() ? is_audio_suffix(member.first) : member.first == chosen;
  });
  return found == sample.members.end() ? nullptr : &found->second;
}

// Reads the samples of one shard.
class ShardReader {
 public:
  ShardReader(const RandomAccess& file, ManifestBuilder& builder)
      : file_(file), builder_(builder) {}

  TarRow read(const TarSample& sample) {
    TarRow row{.key = sample.key};
    const TarMember* const audio = audio_of(sample, builder_.options().columns);
    if (sample.repeated) {
      row.refusal = {.kind = ProblemKind::duplicate_id,
                     .detail = msg::sample_repeats{.suffix = *sample.repeated}};
      return row;
    }
    if (audio == nullptr) {
      std::vector<std::string> suffixes;
      std::ranges::transform(
          sample.members, std::back_inserter(suffixes), [](const auto& one) { return one.first; });
      row.refusal = {.kind = ProblemKind::missing_audio,
                     .detail = msg::sample_no_audio{.suffixes = suffixes}};
      return row;
    }
    row.audio = audio->name;
    row.place = {.offset = audio->offset, .size = audio->size};
    for (const auto& [suffix, member] : sample.members) {
      if (&member != audio && row.refusal == std::nullopt) {
        read_member(suffix, member, row);
      }
    }
    if (row.cells.text.empty()) {
      row.cells.text = std::move(text_);
    }
    return row;
  }

 private:
  void read_member(const std::string& suffix, const TarMember& member, TarRow& row) {
    const bool is_json = suffix == "json" || suffix.ends_with(".json");
    const ColumnRole role = role_of_suffix(suffix, builder_.options().columns);
    if ((!is_json && role == ColumnRole::unused) || member.size.value > kMaxTextMember) {
      return;
    }
    std::string bytes(static_cast<std::size_t>(member.size.value), '\0');
    const Result<Done> read = file_.read(member.offset, std::as_writable_bytes(std::span(bytes)));
    if (!read) {
      row.refusal = {.kind = ProblemKind::empty_text, .detail = read.failure().message};
      return;
    }
    builder_.add_content(bytes);
    if (is_json) {
      take(parse_json_fields(bytes, builder_.options().columns), row.cells);
    } else {
      take(role, std::string(trim_ends(bytes)), row.cells);
    }
  }

  // What a member of its own says counts more.
  static void take(std::optional<JsonRow> fields, JsonRow& cells) {
    if (!fields) {
      return;
    }
    const auto fill = [](std::string& cell, std::string& from) {
      if (cell.empty()) {
        cell = std::move(from);
      }
    };
    fill(cells.text, fields->text);
    fill(cells.speaker, fields->speaker);
    fill(cells.language, fields->language);
  }

  void take(ColumnRole role, std::string cell, JsonRow& cells) {
    switch (role) {
      case ColumnRole::normalised:
        cells.text = std::move(cell);
        break;
      case ColumnRole::text:
        text_ = std::move(cell);
        break;
      case ColumnRole::speaker:
        cells.speaker = std::move(cell);
        break;
      case ColumnRole::language:
        cells.language = std::move(cell);
        break;
      case ColumnRole::audio:
      case ColumnRole::duration:
      case ColumnRole::unused:
        break;
    }
  }

  const RandomAccess& file_;
  ManifestBuilder& builder_;
  std::string text_;  // of the present sample, where no normalized one is
};

TarShard read_shard(ManifestBuilder& builder, const LayoutFile& file, const ContainerFile& opened) {
  Result<TarIndex> index = read_tar_index(*opened.headers);
  if (!index) {
    throw MessageError(msg::set_refused{.file = opened.path.string(),
                                        .why = reason_of(index.failure(), opened.path)});
  }
  TarShard shard{.name = file.name, .split = file.split, .trouble = index.value().trouble};
  const std::uint32_t container = builder.add_container(members_of(opened));
  ShardReader reader(*opened.headers, builder);
  for (const TarSample& sample : group(std::move(index).value().members)) {
    builder.add_content(sample.key);
    shard.rows.push_back(reader.read(sample));
    shard.rows.back().place.container = container;
  }
  return shard;
}

// Whether samples of several shards have one key: they are told apart by the names of the shards.
bool have_shared_keys(const std::vector<TarShard>& shards) {
  std::unordered_set<std::uint64_t> before;
  for (const TarShard& shard : shards) {
    std::unordered_set<std::uint64_t> own;
    for (const TarRow& row : shard.rows) {
      own.insert(content_hash(row.key));
    }
    if (std::ranges::any_of(own, [&](std::uint64_t key) { return before.contains(key); })) {
      return true;
    }
    before.merge(own);
  }
  return false;
}

void add_rows(ManifestBuilder& builder, const TarShard& shard, const std::string& prefix) {
  for (const TarRow& row : shard.rows) {
    const std::string id = prefix + row.key;
    if (row.refusal) {
      builder.add_problem({.kind = row.refusal->kind,
                           .id = id,
                           .audio = shard.name,
                           .detail = row.refusal->detail});
      continue;
    }
    builder.add_stored({.audio = fmt::format("{}/{}", shard.name, row.audio),
                        .id = id,
                        .text = row.cells.text,
                        .speaker = row.cells.speaker,
                        .language = row.cells.language},
                       row.place,
                       shard.split);
  }
  if (shard.trouble) {
    builder.add_problem({.kind = ProblemKind::damaged_archive,
                         .id = shard.name,
                         .audio = shard.name,
                         .detail = *shard.trouble});
  }
}

}  // namespace

void read_tar_shards(ManifestBuilder& builder, const Layout& layout) {
  builder.begin_source(layout.files.size() == 1 ? layout.files.front().name : ".");
  const ContainerFiles files(builder.root(), names_of(layout), builder.options().store);
  std::vector<TarShard> shards;
  for (std::size_t i = 0; i < layout.files.size(); ++i) {
    shards.push_back(read_shard(builder, layout.files[i], files.open(i)));
  }
  const bool are_shared = have_shared_keys(shards);
  for (const TarShard& shard : shards) {
    const std::string stem(stem_of_container(shard.name));
    add_rows(builder, shard, are_shared ? stem + "/" : "");
  }
}

}  // namespace qanat
