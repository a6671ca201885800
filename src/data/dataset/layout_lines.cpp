#include "dataset/layout_lines.h"

#include <filesystem>

#include "locale/messages/data_set_layouts.h"

namespace qanat {

std::string_view trim_ends(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::pair<std::string_view, std::string_view> key_and_value(std::string_view line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  return {line.substr(0, end), trim_ends(line.substr(end))};
}

std::string folder_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash + 1);
}

std::string AudioBase::path_of(std::string_view audio) {
  if (audio.starts_with('/')) {
    return std::string(audio);
  }
  if (!is_known_) {
    find(audio);
  }
  return prefix_ + std::string(audio);
}

std::string AudioBase::id_of(std::string_view audio) const {
  const bool is_hidden = prefix_.starts_with('/') && !audio.starts_with('/');
  return is_hidden ? std::string(AudioLocator::without_extension(audio)) : std::string();
}

// By the first row that names a file that is there.
void AudioBase::find(std::string_view audio) {
  constexpr int kLevels = 3;
  constexpr int kRowsTried = 20;
  const auto is_at = [&](const std::string& prefix) {
    const Result<AudioLocation> location = builder_.locator().locate(prefix + std::string(audio));
    return location && location.value().path.has_value();
  };
  if (tried_ > kRowsTried) {
    is_known_ = true;
    return;
  }
  ++tried_;
  if (is_at(prefix_)) {
    is_known_ = true;
    return;
  }
  std::filesystem::path above = builder_.root() / prefix_;
  for (int level = 0; level < kLevels && above.has_relative_path(); ++level) {
    above = (above / "..").lexically_normal();
    const std::string prefix = (above / "").lexically_normal().string();
    if (is_at(prefix)) {
      builder_.note(ProblemKind::layout, msg::audio_named_from{.folder = prefix});
      prefix_ = prefix;
      is_known_ = true;
      return;
    }
  }
}

void refuse(ManifestBuilder& builder, int line, JsonRefusal refusal) {
  builder.add_problem({.kind = refusal.kind,
                       .line = line,
                       .id = std::move(refusal.id),
                       .detail = std::move(refusal.detail)});
}

std::vector<std::string> names_of(const Layout& layout) {
  std::vector<std::string> names;
  for (const LayoutFile& file : layout.files) {
    names.push_back(file.name);
  }
  return names;
}

std::string_view stem_of_container(std::string_view name) {
  name = name.substr(0, name.find_first_of("?#"));
  return name.substr(0, name.rfind('.'));
}

}  // namespace qanat
