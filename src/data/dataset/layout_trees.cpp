// Kaldi's folders, and trees with a text for each clip: VCTK, LibriTTS, LibriSpeech.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "dataset/layout_lines.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr Bytes kLargestText = mebibytes(1);

// The file that a pipe only unpacks: `flac -c -d -s a.flac |`. Commands are never run.
std::optional<std::string_view> unpacked_by(std::string_view command) {
  if (!command.ends_with('|')) {
    return command;
  }
  command = trim_ends(command.substr(0, command.size() - 1));
  std::string_view file;
  bool is_flac = command.starts_with("flac ") || command.starts_with("/usr/bin/flac ");
  command = key_and_value(command).second;
  while (is_flac && !command.empty()) {
    const auto [word, rest] = key_and_value(command);
    command = rest;
    if (word.starts_with('-')) {
      is_flac = word == "-c" || word == "-d" || word == "-s" || word == "-cd" || word == "-dc" ||
                word == "-cds" || word == "-dcs";
    } else {
      is_flac = file.empty();
      file = word;
    }
  }
  return is_flac && !file.empty() ? std::optional(file) : std::nullopt;
}

std::unordered_map<std::string, std::string> read_pairs(ManifestBuilder& builder,
                                                        const std::string& name) {
  const std::filesystem::path path = builder.root() / name;
  std::unordered_map<std::string, std::string> pairs;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return pairs;
  }
  const Result<std::string> bytes = read_text_file(path);
  if (!bytes) {
    throw Error(bytes.failure());
  }
  builder.add_content(bytes.value());
  for_each_line(bytes.value(), [&](int, std::string_view line) {
    const auto [key, value] = key_and_value(line);
    pairs.try_emplace(std::string(key), value);
  });
  return pairs;
}

}  // namespace

void read_kaldi(ManifestBuilder& builder, const LayoutFile& file) {
  const std::string root = builder.root().string();
  std::error_code ignored;
  if (std::filesystem::exists(builder.root() / "segments", ignored)) {
    throw MessageError(msg::set_refused{
        .file = root,
        .why = msg::kaldi_segments{
            .command =
                fmt::format("utils/data/extract_wav_segments_data_dir.sh {0} {0}_cut", root)}});
  }
  const auto audio = read_pairs(builder, "wav.scp");
  const auto speakers = read_pairs(builder, "utt2spk");
  const auto languages = read_pairs(builder, "utt2lang");
  const auto value_in = [](const auto& pairs, const std::string& key) -> std::string_view {
    const auto found = pairs.find(key);
    return found == pairs.end() ? std::string_view() : std::string_view(found->second);
  };
  AudioBase base(builder, "");
  for_each_line(builder.read_source(file.name), [&](int line, std::string_view text) {
    const auto [id, words] = key_and_value(text);
    const std::string key(id);
    const std::string_view command = value_in(audio, key);
    const std::optional<std::string_view> path = unpacked_by(command);
    if (command.empty() || !path) {
      return refuse(builder,
                    line,
                    {.kind = ProblemKind::missing_audio,
                     .id = key,
                     .detail = command.empty() ? Message(msg::kaldi_no_audio{})
                                               : msg::kaldi_command{.command = command}});
    }
    builder.check_and_add({.line = line,
                           .audio = base.path_of(*path),
                           .id = id,
                           .text = words,
                           .speaker = value_in(speakers, key),
                           .language = value_in(languages, key)},
                          file.split);
  });
}

namespace {

// A text file in a tree; what cannot be read is a row of its own that is left out.
std::optional<std::string> read_text_of(ManifestBuilder& builder,
                                        const std::filesystem::path& path,
                                        const std::string& id) {
  const Result<std::string> bytes = read_text_file(path, kLargestText);
  if (!bytes) {
    builder.add_problem(
        {.kind = ProblemKind::empty_text, .id = id, .detail = reason_of(bytes.failure(), path)});
    return std::nullopt;
  }
  builder.add_content(id);
  builder.add_content(bytes.value());
  return bytes.value();
}

std::vector<std::string> sorted_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error);
       !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

// Reads the first of two microphones.
void read_vctk(ManifestBuilder& builder, const Layout& layout) {
  const std::string& texts = layout.files.at(0).name;
  const std::string& audio = layout.files.at(1).name;
  builder.begin_source(texts);
  bool has_microphones = false;
  for (const std::string& speaker : sorted_names(builder.root() / texts)) {
    for (const std::string& name : sorted_names(builder.root() / texts / speaker)) {
      if (!name.ends_with(".txt")) {
        continue;
      }
      const std::string id = name.substr(0, name.size() - 4);
      const std::optional<std::string> text =
          read_text_of(builder, builder.root() / texts / speaker / name, id);
      if (!text) {
        continue;
      }
      std::string clip = fmt::format("{}/{}/{}_mic1", audio, speaker, id);
      const Result<AudioLocation> first = builder.locator().locate(clip);
      if (first && first.value().path) {
        has_microphones = true;
      } else {
        clip = fmt::format("{}/{}/{}", audio, speaker, id);
      }
      builder.check_and_add({.audio = clip, .id = id, .text = trim_ends(*text), .speaker = speaker},
                            SplitHint::none);
    }
  }
  if (has_microphones) {
    builder.note(ProblemKind::layout, msg::layout_microphone{});
  }
}

namespace {

void read_libri_chapter(ManifestBuilder& builder,
                        const std::string& folder,
                        const std::string& speaker,
                        SplitHint split) {
  for (const std::string& name : sorted_names(builder.root() / folder)) {
    constexpr std::string_view kOneText = ".normalized.txt";
    const bool is_one = name.ends_with(kOneText);
    if (!is_one && !name.ends_with(".trans.txt")) {
      continue;
    }
    const std::string id = is_one ? name.substr(0, name.size() - kOneText.size()) : name;
    const std::optional<std::string> text =
        read_text_of(builder, builder.root() / folder / name, id);
    if (!text) {
      continue;
    }
    if (is_one) {
      builder.check_and_add(
          {.audio = folder + id, .id = id, .text = trim_ends(*text), .speaker = speaker}, split);
      continue;
    }
    for_each_line(*text, [&](int, std::string_view line) {
      const auto [clip, words] = key_and_value(line);
      const std::string audio = folder + std::string(clip);
      builder.check_and_add({.audio = audio, .id = clip, .text = words, .speaker = speaker}, split);
    });
  }
}

}  // namespace

void read_libri(ManifestBuilder& builder, const LayoutFile& file) {
  const std::string top = file.name.empty() ? "" : file.name + "/";
  builder.begin_source(file.name.empty() ? "." : file.name);
  for (const std::string& speaker : sorted_names(builder.root() / top)) {
    for (const std::string& chapter : sorted_names(builder.root() / top / speaker)) {
      read_libri_chapter(
          builder, fmt::format("{}{}/{}/", top, speaker, chapter), speaker, file.split);
    }
  }
}

}  // namespace qanat
