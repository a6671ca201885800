#include "features/mel_image.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <png.h>

#include "base/check.h"
#include "base/error.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kColours = 256;
constexpr std::size_t kWidest = 1'000'000;  // pixels; libpng's own limit

struct Colour {
  float red;
  float green;
  float blue;
};

// From night over violet and orange to a pale yellow: brightness rises all the way, so it reads
// in grey as well.
constexpr std::array<Colour, 6> kStops = {
    {{4, 4, 20}, {60, 16, 100}, {150, 40, 110}, {220, 80, 70}, {250, 160, 40}, {252, 250, 190}}};

std::array<png_byte, 3 * kColours> make_palette() {
  std::array<png_byte, 3 * kColours> palette{};
  for (std::size_t i = 0; i < kColours; ++i) {
    const float at = static_cast<float>(i) * static_cast<float>(kStops.size() - 1) / (kColours - 1);
    const auto stop = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
    const float share = at - static_cast<float>(stop);
    const Colour& a = kStops[stop];
    const Colour& b = kStops[stop + 1];
    const auto mix = [share](float from, float to) {
      return static_cast<png_byte>(std::lround(from + share * (to - from)));
    };
    palette[3 * i] = mix(a.red, b.red);
    palette[3 * i + 1] = mix(a.green, b.green);
    palette[3 * i + 2] = mix(a.blue, b.blue);
  }
  return palette;
}

png_byte shade(float value, const MelImageOptions& options) {
  const float share = (value - options.quietest) / (options.loudest - options.quietest);
  if (!(share > 0.0F)) {  // also what is no number
    return 0;
  }
  return static_cast<png_byte>(std::min(share, 1.0F) * static_cast<float>(kColours - 1));
}

}  // namespace

std::vector<std::byte> encode_mel_image(std::span<const float> mel,
                                        int mel_bins,
                                        const MelImageOptions& options) {
  const auto bins = static_cast<std::size_t>(mel_bins);
  QANAT_CHECK(mel_bins > 0 && !mel.empty() && mel.size() % bins == 0) << mel.size();
  const auto wide = static_cast<std::size_t>(options.frame_width);
  const auto high = static_cast<std::size_t>(options.band_height);
  const std::size_t width = mel.size() / bins * wide;
  const std::size_t height = bins * high;
  if (width > kWidest) {
    throw MessageError(msg::mel_image_wide{.width = width, .most = kWidest});
  }
  std::vector<png_byte> pixels(width * height);
  for (std::size_t y = 0; y < height; ++y) {
    const std::size_t band = bins - 1 - y / high;
    for (std::size_t x = 0; x < width; ++x) {
      pixels[y * width + x] = shade(mel[x / wide * bins + band], options);
    }
  }
  const std::array<png_byte, 3 * kColours> palette = make_palette();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = kColours;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> file(size);
  if (png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, palette.data()) ==
      0) {
    throw Error("mel image: {}", image.message);
  }
  file.resize(size);
  return file;
}

void write_mel_image(const std::filesystem::path& path,
                     std::span<const float> mel,
                     int mel_bins,
                     const MelImageOptions& options) {
  const std::vector<std::byte> image = encode_mel_image(mel, mel_bins, options);
  AtomicFile file(path);
  file.write(image);
  file.commit();
}

}  // namespace qanat
